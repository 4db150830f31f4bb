//! Compares the tokens of all-MiniLM-L6-v2 with those of the reference library.

use super::reference::model_folder;
use crate::transformer::tokenizer::Tokenizer;

fn tokenizer() -> Tokenizer {
    Tokenizer::open(&model_folder("all-MiniLM-L6-v2").join("tokenizer.json"), 30_522).unwrap()
}

#[test]
fn tokens_match_the_reference() {
    let tokenizer = tokenizer();
    let lines = include_str!("fixtures/minilm_tokens.jsonl").lines();
    let cases: Vec<(String, Vec<u32>)> = lines.map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(cases.len() > 200);
    for (text, expected) in cases {
        assert_eq!(tokenizer.encode(&text, usize::MAX), expected, "{text:?}");
        for limit in [2, 3, 7] {
            let mut cut = expected.clone();
            cut.truncate(cut.len().min(limit) - 1);
            cut.push(102);
            assert_eq!(tokenizer.encode(&text, limit), cut, "{text:?} within {limit}");
        }
    }
}

#[test]
fn long_texts_are_truncated_at_the_limit() {
    let text = "word ".repeat(1_000_000);
    let tokens = tokenizer().encode(&text, 256);
    assert_eq!((tokens.len(), tokens[0], tokens[255]), (256, 101, 102));
}
