//! A set of documents, questions and known answers on disk: `corpus.jsonl`, `queries.jsonl`, `qrels.tsv`.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use lore_engine::vault::read_text;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::failure::{Failure, Result};

/// A document to find.
#[derive(Debug, Deserialize)]
pub struct Document {
    /// Its id.
    #[serde(rename = "_id")]
    pub id: String,
    /// Its title.
    #[serde(default)]
    pub title: String,
    /// Its text.
    pub text: String,
    /// Whose it is: a question is answered from its own scope only.
    #[serde(default)]
    pub scope: String,
}

/// A question.
#[derive(Debug, Deserialize)]
pub struct Question {
    /// Its id.
    #[serde(rename = "_id")]
    pub id: String,
    /// What is asked.
    pub text: String,
    /// Whose it is.
    #[serde(default)]
    pub scope: String,
    /// The documents it may be answered from, where not all may.
    #[serde(default)]
    pub candidates: Vec<String>,
}

/// A set.
#[derive(Debug)]
pub struct Set {
    /// The documents by scope; none when the questions are about a vault that is there.
    pub documents: BTreeMap<String, Vec<Document>>,
    /// The questions that have an answer.
    pub questions: Vec<Question>,
    /// What answers each question, and how well.
    pub answers: HashMap<String, HashMap<String, f64>>,
}

impl Set {
    /// Reads a set.
    pub fn read(folder: &Path) -> Result<Set> {
        let corpus = folder.join("corpus.jsonl");
        let mut documents: BTreeMap<String, Vec<Document>> = BTreeMap::new();
        if read_text(&corpus)?.is_some() {
            for document in json_lines::<Document>(&corpus)? {
                documents.entry(document.scope.clone()).or_default().push(document);
            }
        }
        let answers = answers(&folder.join("qrels.tsv"))?;
        let mut questions: Vec<Question> = json_lines(&folder.join("queries.jsonl"))?;
        questions.retain(|question| answers.contains_key(&question.id));
        if questions.is_empty() {
            return Err(Failure::usage(
                format!("no question in {} has an answer", folder.display()),
                "qrels.tsv needs a line `query-id<TAB>corpus-id<TAB>score` for each, after its header",
            ));
        }
        Ok(Set { documents, questions, answers })
    }
}

fn json_lines<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>> {
    let text = needed(path)?;
    let mut found = Vec::new();
    for (line, number) in text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty()) {
        let read = serde_json::from_str(line).map_err(|error| {
            Failure::usage(
                format!("{}:{number}: {error}", path.display()),
                "every line is a JSON object with `_id` and `text`",
            )
        });
        found.push(read?);
    }
    Ok(found)
}

fn answers(path: &Path) -> Result<HashMap<String, HashMap<String, f64>>> {
    let mut answers: HashMap<String, HashMap<String, f64>> = HashMap::new();
    for (line, number) in needed(path)?.lines().zip(1..).skip(1) {
        let fields: Vec<&str> = line.split('\t').map(str::trim).collect();
        if fields == [""] {
            continue;
        }
        let score = fields.get(2).and_then(|score| score.parse::<f64>().ok());
        let ([question, document, _], Some(score)) = (&fields[..], score) else {
            return Err(Failure::usage(
                format!("{}:{number} is not query-id, corpus-id, score", path.display()),
                "put a tab between the three",
            ));
        };
        if score > 0.0 {
            answers.entry((*question).to_owned()).or_default().insert((*document).to_owned(), score);
        }
    }
    Ok(answers)
}

fn needed(path: &Path) -> Result<String> {
    read_text(path)?.ok_or_else(|| {
        Failure::usage(
            format!("{} is not there", path.display()),
            "a set is a folder with queries.jsonl, qrels.tsv and, unless it is about your vault, corpus.jsonl",
        )
    })
}
