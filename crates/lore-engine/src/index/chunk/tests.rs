use expect_test::{Expect, expect};
use lore_page::parse;
use lore_text::estimate_tokens;

use super::split::PIECE_TOKENS;
use super::*;

fn of(text: &str) -> Vec<Chunk> {
    chunks(&parse("people/ada.md", text).page, text)
}

#[track_caller]
fn check(text: &str, expected: Expect) {
    let show = |chunk: &Chunk| {
        let place = &chunk.place;
        format!(
            "{:?} {}-{} [{}] {:?}\n",
            place.kind, place.lines.first, place.lines.last, place.heading, chunk.text
        )
    };
    expected.assert_eq(&of(text).iter().map(show).collect::<String>());
}

#[test]
fn sections_and_entries_become_chunks_prefixed_with_title_and_headings() {
    check(
        "---\ntitle: Ada\naliases: [Countess]\nsummary: Wrote the first program\n---\n# Ada\n\nIntro.\n\n## State\nLives in London.\n\
         ### Work\nPrograms.\n\n---\n\n## Timeline\n- **1843-09-01** | letter — Notes published.\n  In detail.\n- **1852-11-27** | paper — Died.\n",
        expect![[r#"
            Section 8-8 [] "Ada\nIntro.\nCountess\nWrote the first program"
            Section 11-11 [State] "Ada\nState\nLives in London."
            Section 13-13 [State > Work] "Ada\nState > Work\nPrograms."
            Entry 18-19 [Timeline] "Ada\nTimeline\n- **1843-09-01** | letter — Notes published.\n  In detail."
            Entry 20-20 [Timeline] "Ada\nTimeline\n- **1852-11-27** | paper — Died."
        "#]],
    );
}

#[test]
fn page_without_a_body_becomes_one_chunk_with_its_title() {
    check(
        "",
        expect![[r#"
        Section 1-1 [] "ada"
    "#]],
    );
    check(
        "# Ada\n",
        expect![[r#"
        Section 1-1 [] "ada"
    "#]],
    );
    check(
        "---\ntitle: Ada\n---\n",
        expect![[r#"
        Section 1-1 [] "Ada"
    "#]],
    );
}

#[test]
fn long_section_is_split_between_sentences_with_overlap() {
    let text: String =
        (0..120).map(|n| format!("Sentence number {n} says that looms weave patterns. ")).collect();
    let chunks = of(&format!("# Looms\n\n{text}\n"));
    assert!(chunks.len() > 2, "{}", chunks.len());
    for pair in chunks.windows(2) {
        let [before, after] = [&pair[0].text, &pair[1].text];
        assert!(estimate_tokens(before) <= PIECE_TOKENS + 20, "{}", estimate_tokens(before));
        let again = after.lines().nth(2).expect("a body").split_inclusive(". ").next().expect("a sentence");
        assert!(before.contains(again.trim()), "{again:?} is not at the end of {before:?}");
        assert!(again.starts_with("Sentence number"), "{again:?}");
    }
    let all: String = chunks.iter().map(|chunk| chunk.text.as_str()).collect();
    assert!((0..120).all(|n| all.contains(&format!("number {n} says"))));
}

#[test]
fn abbreviation_is_not_the_end_of_a_piece() {
    let text: String =
        (0..200).map(|n| format!("In {}room {n} sat Dr. Amy of the looms. ", "a ".repeat(n % 5))).collect();
    for chunk in of(&text) {
        let body = chunk.text.lines().nth(1).expect("a body");
        assert!(body.starts_with("In ") && body.ends_with("looms."), "{body:?}");
    }
}

#[test]
fn endless_words_and_text_without_spaces_are_split() {
    for text in ["x".repeat(50_000), "字".repeat(5_000), "字。".repeat(5_000)] {
        let chunks = of(&text);
        let longest = chunks.iter().map(|chunk| estimate_tokens(&chunk.text)).max().expect("one");
        assert!(longest <= PIECE_TOKENS + 20, "{longest}");
        let letters: usize = chunks.iter().map(|chunk| chunk.text.len()).sum();
        assert!(letters >= text.len(), "{letters} of {}", text.len());
    }
}

#[test]
fn chunk_hash_does_not_depend_on_its_lines() {
    let [first, second] = ["# A\n\n## S\none\n", "# A\n\n\n\n## S\none\n"].map(|text| of(text)[0].clone());
    assert_eq!(first.place.hash, second.place.hash);
    assert_ne!(first.place.lines, second.place.lines);
}

#[test]
fn very_many_lines_headings_and_entries_are_split_in_one_pass() {
    let sections: String = (0..20_000).map(|n| format!("## H{n}\ntext {n}\n")).collect();
    let entries: String = (0..20_000).map(|n| format!("- **2024-01-01** | note — Entry {n}.\n")).collect();
    let line = "word ".repeat(400_000);
    assert_eq!(of(&format!("# A\n\n{sections}")).len(), 20_000);
    assert_eq!(of(&format!("# A\n\nx\n\n---\n\n{entries}")).len(), 20_001);
    assert!(of(&line).len() > 1000);
}
