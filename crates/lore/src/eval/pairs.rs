//! Pairs of vaults for abstention: each question is asked where its answers are and where they are not.

use std::collections::{BTreeMap, HashMap};

use super::set::{Document, EvalQuestion, Set};

/// How the documents of a set are divided into scopes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deal {
    /// Each scope into two halves; documents that answer the same question stay together.
    Halves,
    /// Scopes as they are: a question is also asked in the next scope.
    Scopes,
}

/// A question with the scope that has its answers and one that has none of them.
#[derive(Debug)]
pub struct Pair {
    /// The question.
    pub question: EvalQuestion,
    /// The scope with its answers.
    pub with: String,
    /// The scope without them.
    pub without: String,
}

/// Divides the documents of a set into scopes with and without the answers. Returns the documents by scope.
pub fn deal(set: Set, deal: Deal) -> (BTreeMap<String, Vec<Document>>, Vec<Pair>) {
    match deal {
        Deal::Scopes => by_scope(set),
        Deal::Halves => in_halves(set),
    }
}

fn by_scope(set: Set) -> (BTreeMap<String, Vec<Document>>, Vec<Pair>) {
    let scopes: Vec<String> = set.documents.keys().cloned().collect();
    let next: HashMap<String, String> =
        scopes.iter().cloned().zip(scopes.iter().cycle().skip(1).cloned()).collect();
    let pair = |question: EvalQuestion| {
        let without = next.get(&question.scope)?.clone();
        Some(Pair { with: question.scope.clone(), without, question })
    };
    let pairs = set.questions.into_iter().filter_map(pair).collect();
    (set.documents, pairs)
}

fn in_halves(set: Set) -> (BTreeMap<String, Vec<Document>>, Vec<Pair>) {
    let half_of = halves(&set);
    let scope = |scope: &str, half: usize| format!("{scope}/{half}");
    let mut documents: BTreeMap<String, Vec<Document>> = BTreeMap::new();
    for (name, all) in set.documents {
        for document in all {
            let half = half_of.get(&document.id).copied().unwrap_or_default();
            documents.entry(scope(&name, half)).or_default().push(document);
        }
    }
    let pair = |question: EvalQuestion| {
        let answer = set.answers.get(&question.id)?.keys().min()?;
        let half = *half_of.get(answer)?;
        let (with, without) = (scope(&question.scope, half), scope(&question.scope, 1 - half));
        (documents.contains_key(&with) && documents.contains_key(&without)).then_some(Pair {
            question,
            with,
            without,
        })
    };
    let pairs = set.questions.into_iter().filter_map(pair).collect();
    (documents, pairs)
}

/// Returns the half of each document, 0 or 1. Of each scope, the largest group goes to the half with fewer documents.
fn halves(set: &Set) -> HashMap<String, usize> {
    let mut half_of = HashMap::new();
    for documents in set.documents.values() {
        let mut sizes = [0; 2];
        for group in groups(set, documents) {
            let half = usize::from(sizes[1] < sizes[0]);
            sizes[half] += group.len();
            half_of.extend(group.into_iter().map(|id| (id.to_owned(), half)));
        }
    }
    half_of
}

/// Groups documents that answer the same question, largest first.
fn groups<'a>(set: &Set, documents: &'a [Document]) -> Vec<Vec<&'a str>> {
    let numbers: HashMap<&str, usize> =
        documents.iter().enumerate().map(|(number, document)| (document.id.as_str(), number)).collect();
    let mut parents: Vec<usize> = (0..documents.len()).collect();
    for answers in set.questions.iter().filter_map(|question| set.answers.get(&question.id)) {
        let mut members = answers.keys().filter_map(|id| numbers.get(id.as_str()).copied());
        let Some(first) = members.next() else { continue };
        for member in members {
            let (one, other) = (root(&parents, first), root(&parents, member));
            parents[one.max(other)] = one.min(other);
        }
    }
    let mut groups: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for (number, document) in documents.iter().enumerate() {
        groups.entry(root(&parents, number)).or_default().push(&document.id);
    }
    let mut groups: Vec<Vec<&str>> = groups.into_values().collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
    groups
}

fn root(parents: &[usize], mut number: usize) -> usize {
    while parents[number] != number {
        number = parents[number];
    }
    number
}

/// Returns the probability that a question asked where its answers are has a higher confidence than one asked where
/// they are not: the area under the ROC curve.
pub fn auroc(with: &[f64], without: &[f64]) -> f64 {
    let mut all: Vec<(f64, bool)> =
        with.iter().map(|value| (*value, true)).chain(without.iter().map(|value| (*value, false))).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut ranks, mut at) = (0.0, 0);
    while at < all.len() {
        let equal = all[at..].iter().take_while(|(value, _)| *value == all[at].0).count();
        let mean_rank = at as f64 + (equal as f64 + 1.0) / 2.0;
        ranks += mean_rank * all[at..at + equal].iter().filter(|(_, is_with)| *is_with).count() as f64;
        at += equal;
    }
    let (n, m) = (with.len() as f64, without.len() as f64);
    if n * m == 0.0 { 0.0 } else { (ranks - n * (n + 1.0) / 2.0) / (n * m) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(documents: &[&str], questions: &[(&str, &[&str])]) -> Set {
        let document = |id: &&str| Document {
            id: (*id).to_owned(),
            title: String::new(),
            text: String::new(),
            scope: String::new(),
        };
        let question = |id: &str| EvalQuestion {
            id: id.to_owned(),
            text: String::new(),
            scope: String::new(),
            candidates: Vec::new(),
        };
        let answers = |ids: &[&str]| ids.iter().map(|id| ((*id).to_owned(), 1.0)).collect();
        Set {
            documents: BTreeMap::from([(String::new(), documents.iter().map(document).collect())]),
            questions: questions.iter().map(|(id, _)| question(id)).collect(),
            answers: questions.iter().map(|(id, gold)| ((*id).to_owned(), answers(gold))).collect(),
        }
    }

    #[test]
    fn answers_of_a_question_stay_together_and_are_missing_in_the_other_half() {
        let (documents, pairs) =
            deal(set(&["a", "b", "c", "d"], &[("1", &["a", "b"]), ("2", &["c"])]), Deal::Halves);
        let ids = |scope: &str| documents[scope].iter().map(|document| &*document.id).collect::<Vec<_>>();
        assert_eq!((ids("/0"), ids("/1")), (vec!["a", "b"], vec!["c", "d"]));
        let scopes: Vec<(&str, &str)> = pairs.iter().map(|pair| (&*pair.with, &*pair.without)).collect();
        assert_eq!(scopes, [("/0", "/1"), ("/1", "/0")]);
    }

    #[test]
    fn area_is_the_share_of_ordered_pairs() {
        assert_eq!(auroc(&[0.9, 0.8], &[0.1, 0.2]), 1.0);
        assert_eq!(auroc(&[0.1], &[0.9]), 0.0);
        assert_eq!(auroc(&[0.5, 0.5], &[0.5]), 0.5);
        assert_eq!(auroc(&[0.9, 0.3], &[0.5, 0.1]), 0.75);
        assert_eq!(auroc(&[], &[0.5]), 0.0);
    }
}
