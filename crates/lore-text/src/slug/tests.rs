use proptest::prelude::*;

use super::*;

#[track_caller]
fn check(cases: &[(&str, &str)]) {
    for (text, slug) in cases {
        assert_eq!(slugify(text), *slug, "of {text:?}");
    }
}

#[test]
fn permalink_generation() {
    check(&[
        ("Machine Learning Basics!", "machine-learning-basics"),
        ("Machine Learning Basics", "machine-learning-basics"),
        ("My Research", "my-research"),
        ("  --Already--slugged--  ", "already-slugged"),
        ("snake_case and CamelCase", "snake-case-and-camelcase"),
        ("a & b + c = d", "a-b-c-d"),
        ("", ""),
        ("!!!", ""),
    ]);
}

#[test]
fn dots_are_kept_between_letters_and_digits() {
    check(&[
        ("Version 2.0.0", "version-2.0.0"),
        ("a.b", "a.b"),
        ("end.", "end"),
        (".hidden", "hidden"),
        ("a..b", "a-b"),
        ("etc. and so on", "etc-and-so-on"),
        ("a.ʼ", "a"),
        ("ʼ.a", "a"),
        ("a.ь-b", "a-b"),
    ]);
}

#[test]
fn apostrophes_are_dropped() {
    check(&[("Jürgen's", "jurgens"), ("Jürgen’s", "jurgens"), ("rock ’n’ roll", "rock-n-roll")]);
}

#[test]
fn european_scripts_become_ascii() {
    check(&[
        ("Привет мир", "privet-mir"),
        ("Ελλάδα", "ellada"),
        ("Łódź Straße Æther", "lodz-strasse-aether"),
        ("Cafe\u{301}", "cafe"),
        ("x\u{304}y", "xy"),
        ("ﬁne ½ ① 𝐁old", "fine-1-2-1-bold"),
        ("Ａｂｃ１", "abc1"),
    ]);
}

#[test]
fn other_scripts_are_kept() {
    check(&[
        ("你好，世界!", "你好世界"),
        ("你好 世界", "你好-世界"),
        ("你好　世界", "你好-世界"),
        ("「学習」ノート・その1", "学習ノートその1"),
        ("ｶﾞｷﾞ", "ガギ"),
        ("한국어 문서", "한국어-문서"),
        ("ภาษาไทย น้ำ", "ภาษาไทย-น้ำ"),
        ("مرحبا بالعالم، يا", "مرحبا-بالعالم-يا"),
        ("שלום עולם", "שלום-עולם"),
        ("हिन्दी भाषा", "हिन्दी-भाषा"),
        ("机器学习 Machine", "机器学习-machine"),
        ("foo，bar", "foo-bar"),
    ]);
}

#[test]
fn emoji_and_symbols_are_dropped() {
    check(&[
        ("🚀 Launch", "launch"),
        ("a🚀b", "ab"),
        ("100°C", "100c"),
        ("❤️", ""),
        ("👩‍💻 dev", "dev"),
        ("em—dash “quotes” …", "em-dash-quotes"),
    ]);
}

#[test]
fn path_segments_are_separate() {
    check(&[("A B/C D", "a-b/c-d"), ("/a//b/", "a/b"), ("a/!/b", "a/b"), ("a\\b", "a-b")]);
}

#[test]
fn slugs_of_files() {
    let cases = [
        ("papers/Jürgen's Findings.md", "papers/jurgens-findings"),
        ("people/pedro_franceschi.md", "people/pedro-franceschi"),
        ("Notes.MARKDOWN", "notes"),
        ("roam/node.org", "roam/node"),
        ("v1.2.md", "v1.2"),
        ("image.png", "image.png"),
        ("a//b.md", "a/b"),
        ("🚀.md", "page-75097bda"),
        ("🚀/🎉.md", "page-75097bda/page-75432f29"),
        (".md", "md"),
    ];
    for (path, slug) in cases {
        assert_eq!(path_slug(path), slug, "of {path:?}");
    }
}

#[test]
fn observation_permalinks() {
    let content = "Machine learning is a subset of AI that enables systems to learn from data without explicit programming";
    assert_eq!(
        observation_permalink("ml-basics", "definition", content),
        "ml-basics/observations/definition/machine-learning-is-a-subset-of-ai-that-enables-systems-to-learn-from-data-without-explicit-programming"
    );
    let long = "é".repeat(300);
    assert_eq!(observation_permalink("p", "c", &long), format!("p/observations/c/{}", "e".repeat(200)));
    assert_eq!(observation_permalink("p", "🚀", "a"), "p/observations/a");
}

#[test]
fn relation_permalinks() {
    assert_eq!(
        relation_permalink("ml-basics", "part of", "Artificial Intelligence"),
        "ml-basics/part-of/artificial-intelligence"
    );
}

#[test]
fn fold_normalizes_names() {
    for (name, folded) in [
        ("  Machine \t Learning\n", "machine learning"),
        ("CAFE\u{301}", "café"),
        ("Привет", "привет"),
        ("İ", "i\u{307}"),
        ("", ""),
    ] {
        assert_eq!(fold(name), folded);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn slugify_is_idempotent(text in any::<String>()) {
        let slug = slugify(&text);
        prop_assert_eq!(slugify(&slug), slug);
    }

    #[test]
    fn slug_is_safe_in_a_path(text in any::<String>()) {
        for segment in slugify(&text).split('/') {
            prop_assert!(!segment.starts_with(['-', '.']) && !segment.ends_with(['-', '.']));
            prop_assert!(!segment.contains("--") && !segment.contains("..") && segment.trim() == segment);
        }
    }

    #[test]
    fn fold_is_idempotent(text in any::<String>()) {
        let folded = fold(&text);
        prop_assert_eq!(fold(&folded), folded);
    }
}
