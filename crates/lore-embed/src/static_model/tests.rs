//! Uses a small vocabulary. The output of the reference tokenizer for the same texts is in `tests/fixtures`.

use std::collections::HashMap;
use std::sync::LazyLock;

use expect_test::expect;
use proptest::prelude::*;
use serde::Deserialize;

use super::source::Tokenizer;
use super::*;

const TINY: &[u8] = include_bytes!("../../tests/fixtures/tiny-tokenizer.json");

#[derive(Deserialize)]
struct Case {
    text: String,
    ids: Vec<u16>,
}

/// Returns a safetensors file with one tensor.
fn weights(dtype: &str, shape: &[usize], halves: &[u16]) -> Vec<u8> {
    let size = halves.len() * 2;
    let json = format!(r#"{{"weight":{{"dtype":"{dtype}","shape":{shape:?},"data_offsets":[0,{size}]}}}}"#);
    let mut file = (json.len() as u64).to_le_bytes().to_vec();
    file.extend(json.as_bytes());
    file.extend(halves.iter().flat_map(|half| half.to_le_bytes()));
    file
}

fn pieces() -> usize {
    Tokenizer::read(TINY).unwrap().pieces.len()
}

/// The vector of piece `n` is (512, n) times an irrelevant factor: small f16 values are their own bits.
static TINY_FILE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let halves: Vec<u16> = (0..=u16::MAX).take(pieces()).flat_map(|id| [512, id]).collect();
    pack(&weights("F16", &[pieces(), 2], &halves), TINY).unwrap()
});

fn tiny() -> StaticModel {
    StaticModel::new(Bytes::Owned(TINY_FILE.clone()), "a test").unwrap()
}

/// Reference byte-pair encoding over the whole text at once: lowest rank first, leftmost of equals.
fn by_the_book(text: &str) -> Vec<u16> {
    static TOKENIZER: LazyLock<Tokenizer> = LazyLock::new(|| Tokenizer::read(TINY).unwrap());
    let tokenizer = &*TOKENIZER;
    let ids: HashMap<&str, u16> =
        tokenizer.pieces.iter().enumerate().map(|(id, piece)| (piece.as_str(), id as u16)).collect();
    let ranks: HashMap<(u16, u16), (usize, u16)> = (tokenizer.merges.iter().enumerate())
        .map(|(rank, (left, right, merged))| ((*left, *right), (rank, *merged)))
        .collect();
    let spaced = format!(" {}", text.replace(tokenizer::SPACE_MARK, " "));
    let mut found = Vec::new();
    for character in spaced.chars() {
        match ids.get(character.to_string().as_str()) {
            Some(id) => found.push(*id),
            None => {
                found.extend(character.to_string().bytes().map(|byte| tokenizer.byte_ids[usize::from(byte)]))
            }
        }
    }
    loop {
        let merges = found.windows(2).enumerate().filter_map(|(at, pair)| {
            ranks.get(&(pair[0], pair[1])).map(|(rank, merged)| (*rank, at, *merged))
        });
        let Some((_, at, merged)) = merges.min() else { return found };
        found.splice(at..at + 2, [merged]);
    }
}

/// Texts of characters and pieces that are in the small vocabulary, and of some that are not.
const TEXTS: &str = "([a-pst ]|the|keep|bell| ship|aa|東|京|都|é|☕|\u{2581}|=|\\.|\n| {2,9}){1,40}";

proptest! {
    #[test]
    fn splitting_into_words_changes_nothing(text in TEXTS) {
        prop_assert_eq!(tiny().token_ids(&text), by_the_book(&text));
    }

    #[test]
    fn damaged_files_do_not_panic(
        places in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..200),
        text in "[a-pst <>/東☕]{0,40}",
    ) {
        let mut file = TINY_FILE.clone();
        for (place, byte) in places {
            let at = place.index(file.len());
            file[at] = byte;
        }
        if let Ok(model) = StaticModel::new(Bytes::Owned(file), "a test") {
            let count = model.tokens(&text);
            prop_assert_eq!(model.token_ids(&text).len(), count);
            prop_assert_eq!(model.embed_query(&text).unwrap().len(), model.identity().dimensions);
        }
    }
}

#[test]
fn tokens_match_the_reference_tokenizer() {
    let cases: Vec<Case> =
        serde_json::from_str(include_str!("../../tests/fixtures/tiny-tokens.json")).unwrap();
    let model = tiny();
    for Case { text, ids } in cases {
        assert_eq!(model.token_ids(&text), ids, "{text:?}");
        assert_eq!(model.tokens(&text), ids.len(), "{text:?}");
    }
}

#[test]
fn stale_merges_are_skipped() {
    let mut tokenizer: serde_json::Value = serde_json::from_slice(TINY).unwrap();
    let vocabulary = tokenizer["model"]["vocab"].as_object_mut().unwrap();
    vocabulary.retain(|_, id| id.as_u64() < Some(259));
    for piece in ["\u{2581}", "a", "b", "c", "d", "bc", "ab", "bcd", "abc"] {
        vocabulary.insert(piece.to_owned(), vocabulary.len().into());
    }
    tokenizer["model"]["merges"] = ["b c", "a b", "bc d", "a bc"].into();
    let count = 259 + 9;
    let file = pack(&weights("F16", &[count, 1], &vec![0; count]), tokenizer.to_string().as_bytes()).unwrap();
    let model = StaticModel::new(Bytes::Owned(file), "a test").unwrap();
    let pieces = |text| {
        let ids = model.token_ids(text).into_iter();
        ids.map(|id| String::from_utf8(model.tables().piece(id).unwrap().to_vec()).unwrap())
            .collect::<Vec<_>>()
    };
    // Once `bc` is merged, `a` and `b` can no longer become `ab`, and `abc` has a higher rank than `bcd`.
    assert_eq!(pieces("abcd"), [" ", "a", "bcd"]);
    assert_eq!(pieces("abc"), [" ", "abc"]);
}

#[test]
fn vectors_are_normalized_means_of_the_tokens() {
    let model = tiny();
    let ids = model.token_ids("the keeper");
    assert_eq!(ids.len(), 2);
    let mean = (f32::from(ids[0]) + f32::from(ids[1])) / 2.0 / 512.0;
    let length = (1.0 + mean * mean).sqrt();
    let vector = model.embed_query("the keeper").unwrap();
    assert!((vector[0] - 1.0 / length).abs() < 1e-6 && (vector[1] - mean / length).abs() < 1e-6);
    assert_eq!(model.embed_passages(&["", "the keeper"]).unwrap(), [vec![0.0; 2], vector]);
}

#[test]
fn megabyte_without_spaces_is_encoded() {
    let model = tiny();
    assert_eq!(model.tokens(&"ship".repeat(250_000)), 3 * 250_000 - 3);
    assert_eq!(model.tokens(&"<s>".repeat(300_000)), 300_000);
    assert_eq!(model.tokens(&" ".repeat(1_000_000)), 250_001);
}

#[test]
fn halves_are_widened_exactly() {
    for (half, expected) in [
        (0x0000, 0.0f32),
        (0x8000, -0.0),
        (0x3c00, 1.0),
        (0xc000, -2.0),
        (0x3555, 0.333_251_95),
        (0x7bff, 65_504.0),
        (0x0400, 6.103_515_6e-5),
        (0x0001, 5.960_464_5e-8),
        (0x83ff, -6.097_555e-5),
    ] {
        assert_eq!(widen(half).to_bits(), expected.to_bits(), "{half:#06x}");
    }
}

#[test]
fn packing_is_deterministic() {
    let halves: Vec<u16> = (0..=u16::MAX).take(pieces()).flat_map(|id| [512, id]).collect();
    assert!(*TINY_FILE == pack(&weights("F16", &[pieces(), 2], &halves), TINY).unwrap());
    let model = tiny();
    let identity = model.identity();
    assert_eq!((identity.name.as_str(), identity.dimensions), ("wordllama-2", 2));
    assert_eq!(identity.revision.len(), 64);
}

#[test]
fn mapped_files_can_be_verified() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tiny.lore");
    let mut file = TINY_FILE.clone();
    crate::files::write(&path, &file).unwrap();
    let model = StaticModel::open(&path).unwrap();
    model.verify().unwrap();
    assert_eq!(model.token_ids("the bell"), tiny().token_ids("the bell"));
    assert!(format!("{model:?}").contains("wordllama-2"));

    *file.last_mut().unwrap() ^= 1;
    let other = folder.path().join("other.lore");
    crate::files::write(&other, &file).unwrap();
    let error = StaticModel::open(&other).unwrap().verify().unwrap_err();
    assert!(error.to_string().contains("its SHA-256 is"), "{error}");

    let error = StaticModel::open(&folder.path().join("none.lore")).unwrap_err();
    assert!(error.to_string().contains("none.lore"), "{error}");
    crate::files::write(&other, b"").unwrap();
    let error = StaticModel::open(&other).unwrap_err();
    assert!(error.to_string().contains("not a packed model"), "{error}");
}

#[test]
fn unsupported_models_are_not_packed() {
    let good = weights("F16", &[pieces(), 1], &vec![0; pieces()]);
    let text = String::from_utf8(TINY.to_vec()).unwrap();
    let cases = [
        (weights("F32", &[2, 1], &[0; 4]), text.clone()),
        (weights("F16", &[2, 1], &[0; 2]), text.clone()),
        (weights("F16", &[pieces(), 2], &vec![0; pieces()]), text.clone()),
        (weights("F16", &[pieces(), 1], &vec![0x7c00; pieces()]), text.clone()),
        (good[..good.len() - 1].to_vec(), text.clone()),
        (good.clone(), text.replace(r#""byte_fallback":true"#, r#""byte_fallback":false"#)),
        (good.clone(), text.replace(r#""pre_tokenizer":null"#, r#""pre_tokenizer":{"type":"Whitespace"}"#)),
        (good.clone(), text.replacen(r#""lstrip":false"#, r#""lstrip":true"#, 1)),
        (good.clone(), text.replacen(r#""<0x00>":3"#, r#""<0x00>":4"#, 1)),
        (good.clone(), text.replacen(r#""<0x00>":3"#, r#""nothing":3"#, 1)),
        (good.clone(), text.replacen(r#""merges":["#, r#""merges":["q q","#, 1)),
    ];
    let refused: Vec<String> = cases
        .iter()
        .map(|(weights, tokenizer)| pack(weights, tokenizer.as_bytes()).unwrap_err().to_string())
        .collect();
    expect![[r#"
        the model the weights cannot be used: expected F16 rows, found F32 of shape [2, 1]
        the model the weights cannot be used: got 2 vectors for 409 pieces
        the model the weights cannot be used: the file is truncated
        the model the weights cannot be used: it contains values that are not finite
        the model the weights cannot be used: the file is truncated
        the model the tokenizer cannot be used: not a plain byte-pair encoding with byte fallback
        the model the tokenizer cannot be used: unsupported normalizer or pre-tokenizer
        the model the tokenizer cannot be used: unsupported matching rule of token "<unk>"
        the model the tokenizer cannot be used: the piece "<0x01>" contains a space, or its id 4 is not unique
        the model the tokenizer cannot be used: missing piece "<0x00>"
        the model the tokenizer cannot be used: missing piece "q""#]]
    .assert_eq(&refused.join("\n"));
    assert!(pack(&good, TINY).is_ok());
}

#[cfg(feature = "embedded-model")]
#[test]
fn vectors_match_the_wordllama_package() {
    #[derive(Deserialize)]
    struct Case {
        text: String,
        ids: Vec<u16>,
        /// The package divides by zero for a text without tokens.
        vector: Option<Vec<f32>>,
    }
    let cases: Vec<Case> =
        serde_json::from_str(include_str!("../../tests/fixtures/wordllama-256.json")).unwrap();
    let model = StaticModel::embedded().unwrap();
    model.verify().unwrap();
    let texts: Vec<&str> = cases.iter().map(|case| case.text.as_str()).collect();
    for (case, found) in cases.iter().zip(model.embed_passages(&texts).unwrap()) {
        assert_eq!(model.token_ids(&case.text), case.ids, "{:?}", case.text);
        let expected = case.vector.clone().unwrap_or(vec![0.0; 256]);
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(&expected) {
            assert!((found - expected).abs() < 2e-5, "{found} is not {expected} in {:?}", case.text);
        }
    }
}
