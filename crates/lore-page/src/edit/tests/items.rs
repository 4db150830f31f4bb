use super::*;

#[track_caller]
fn check_items(text: &str, expected: &[&str]) {
    let items = section_items(text, "Log").expect("a section");
    assert_eq!(items.iter().map(|item| item.of(text)).collect::<Vec<_>>(), expected, "{text:?}");
}

#[test]
fn items_include_whole_lines_and_nested_items() {
    let all: [(&str, &[&str]); 9] = [
        ("- other\n# Log\n- a\n- b\n# Next\n- c\n", &["- a\n", "- b\n"]),
        ("# Log\n\n- a\n  more\n  - deep\n\n  para\n\n\n- b", &["- a\n  more\n  - deep\n\n  para\n", "- b"]),
        ("# Log\n* a\nlazy\n+ b\n1. c\n2) d\n", &["* a\nlazy\n", "+ b\n", "1. c\n", "2) d\n"]),
        ("# Log\nprose\n- a\n\nprose\n\n  - b\n## Sub\n- c\n", &["- a\n", "  - b\n", "- c\n"]),
        ("# Log\n- a\n  ```\n  - code\n  ```\n", &["- a\n  ```\n  - code\n  ```\n"]),
        ("# Log\n```\n- code\n```\n> - quoted\n\n<!--\n- no\n-->\n\n%%\n- no\n%%\n", &[]),
        ("# Log\r\n- a\r\n\r\n- b\r\n", &["- a\r\n", "- b\r\n"]),
        ("# Log\n- a\n\n---\n- b\n", &["- a\n"]),
        ("# Log\n-\n- [ ] b\n", &["-\n", "- [ ] b\n"]),
    ];
    for (text, expected) in all {
        check_items(text, expected);
    }
}

#[test]
fn items_on_one_line_count_as_one() {
    check_items("# Log\n- a\r- b\n- c\n", &["- a\r- b\n", "- c\n"]);
}
