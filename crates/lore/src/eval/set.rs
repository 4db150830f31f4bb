//! An evaluation set on disk: `corpus.jsonl`, `queries.jsonl` and `qrels.tsv`.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use lore_vault::read_text;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::app::error::{AppError, Result};

/// A document to find.
#[derive(Debug, Clone, Deserialize)]
pub struct Document {
    /// The document id.
    #[serde(rename = "_id")]
    pub id: String,
    /// The title.
    #[serde(default)]
    pub title: String,
    /// The text.
    pub text: String,
    /// The scope: a question is answered only from documents of its own scope.
    #[serde(default)]
    pub scope: String,
}

/// A question.
#[derive(Debug, Clone, Deserialize)]
pub struct EvalQuestion {
    /// The question id.
    #[serde(rename = "_id")]
    pub id: String,
    /// The text of the question.
    pub text: String,
    /// The scope it belongs to.
    #[serde(default)]
    pub scope: String,
    /// The only documents that may answer it; empty: all.
    #[serde(default)]
    pub candidates: Vec<String>,
}

/// An evaluation set.
#[derive(Debug, Clone)]
pub struct Set {
    /// The documents by scope; empty when the questions are about an existing vault.
    pub documents: BTreeMap<String, Vec<Document>>,
    /// The questions with at least one answer.
    pub questions: Vec<EvalQuestion>,
    /// The answers to each question with their relevance scores.
    pub answers: HashMap<String, HashMap<String, f64>>,
}

impl Set {
    /// Reads a set from a directory.
    pub fn read(folder: &Path) -> Result<Set> {
        let corpus = folder.join("corpus.jsonl");
        let mut documents: BTreeMap<String, Vec<Document>> = BTreeMap::new();
        if read_text(&corpus)?.is_some() {
            for document in json_lines::<Document>(&corpus)? {
                documents.entry(document.scope.clone()).or_default().push(document);
            }
        }
        let answers = answers(&folder.join("qrels.tsv"))?;
        let mut questions: Vec<EvalQuestion> = json_lines(&folder.join("queries.jsonl"))?;
        questions.retain(|question| answers.contains_key(&question.id));
        if questions.is_empty() {
            return Err(AppError::usage(
                format!("no question in {} has an answer", folder.display()),
                "add a line `query-id<TAB>corpus-id<TAB>score` per answer to qrels.tsv, after its header",
            ));
        }
        Ok(Set { documents, questions, answers })
    }
}

fn json_lines<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>> {
    let text = read_required(path)?;
    let mut found = Vec::new();
    for (line, number) in text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty()) {
        let parsed = serde_json::from_str(line).map_err(|error| {
            AppError::usage(
                format!("{}:{number}: {error}", path.display()),
                "write each line as a JSON object with `_id` and `text`",
            )
        });
        found.push(parsed?);
    }
    Ok(found)
}

fn answers(path: &Path) -> Result<HashMap<String, HashMap<String, f64>>> {
    let mut answers: HashMap<String, HashMap<String, f64>> = HashMap::new();
    for (line, number) in read_required(path)?.lines().zip(1..).skip(1) {
        let fields: Vec<&str> = line.split('\t').map(str::trim).collect();
        if fields == [""] {
            continue;
        }
        let score = fields.get(2).and_then(|score| score.parse::<f64>().ok());
        let ([question, document, _], Some(score)) = (&fields[..], score) else {
            return Err(AppError::usage(
                format!("{}:{number}: expected query-id, corpus-id and score", path.display()),
                "separate the three fields with tabs",
            ));
        };
        if score > 0.0 {
            answers.entry((*question).to_owned()).or_default().insert((*document).to_owned(), score);
        }
    }
    Ok(answers)
}

fn read_required(path: &Path) -> Result<String> {
    read_text(path)?.ok_or_else(|| {
        AppError::usage(
            format!("{} does not exist", path.display()),
            "a set is a folder with queries.jsonl, qrels.tsv and, unless it is about your vault, corpus.jsonl",
        )
    })
}
