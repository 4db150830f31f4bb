//! Line diffs and line attribution across snapshots. Pure; does not use git.
//!
//! A line ends at `\n`, as everywhere in Lore; a carriage return belongs to its line.

use std::fmt::Write;

use similar::{Algorithm, ChangeTag, DiffOp, TextDiff, capture_diff_slices};

/// Returns a unified diff with three lines of context; empty if the texts are equal.
pub fn unified(old: &str, new: &str, old_name: &str, new_name: &str) -> String {
    let (old, new) = (lines(old), lines(new));
    let diff = TextDiff::from_slices(&old, &new);
    let mut shown = String::new();
    for hunk in diff.unified_diff().iter_hunks() {
        if shown.is_empty() {
            shown.push_str(&format!(
                "--- {}\n+++ {}\n",
                without_controls(old_name),
                without_controls(new_name)
            ));
        }
        // Writing to a string cannot fail.
        let _ = writeln!(shown, "{}", hunk.header());
        for change in hunk.iter_changes() {
            let _ = write!(shown, "{}{}", change.tag(), change.value());
            if !change.value().ends_with('\n') {
                shown.push_str("\n\\ No newline at end of file\n");
            }
        }
    }
    shown
}

/// Returns the number of added and removed lines; a changed line counts as both.
pub fn summary(old: &str, new: &str) -> (usize, usize) {
    let (old, new) = (lines(old), lines(new));
    let diff = TextDiff::from_slices(&old, &new);
    let count = |tag| diff.iter_all_changes().filter(|change| change.tag() == tag).count();
    (count(ChangeTag::Insert), count(ChangeTag::Delete))
}

/// Returns, for each line of the last version, the index of the version that added it, and the line without its ending.
/// Versions are a label and a text, oldest first.
///
/// Line endings are ignored, so that changing only them does not reattribute a line.
pub fn attribute(versions: &[(&str, &str)]) -> Vec<(usize, String)> {
    let mut known: Vec<(usize, &str)> = Vec::new();
    for (version, (_, text)) in versions.iter().enumerate() {
        let old: Vec<&str> = known.iter().map(|(_, line)| *line).collect();
        let new: Vec<&str> = text.lines().collect();
        let mut attributed: Vec<(usize, &str)> = new.iter().map(|line| (version, *line)).collect();
        for op in capture_diff_slices(Algorithm::Myers, &old, &new) {
            if let DiffOp::Equal { old_index, new_index, len } = op {
                attributed[new_index..new_index + len].copy_from_slice(&known[old_index..old_index + len]);
            }
        }
        known = attributed;
    }
    known.into_iter().map(|(version, line)| (version, line.to_owned())).collect()
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// Replaces control characters, since a name with a line break could pass for a line of the diff. Runs of spaces stay,
/// unlike in [`crate::on_one_line`]: they belong to the name.
fn without_controls(name: &str) -> String {
    name.replace(char::is_control, " ")
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[track_caller]
    fn check(old: &str, new: &str, counts: (usize, usize), expected: Expect) {
        expected.assert_eq(&unified(old, new, "a.md", "b.md"));
        assert_eq!(summary(old, new), counts);
    }

    #[test]
    fn equal_texts_have_no_diff() {
        for text in ["", "a", "a\r\nb\n"] {
            assert_eq!(unified(text, text, "a", "b"), "");
            assert_eq!(summary(text, text), (0, 0));
        }
    }

    #[test]
    fn changes_are_shown_with_context() {
        check(
            "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n",
            "1\n2\n3\n4\nfive\n6\n7\n8\n9\n10\n11\n12\n13\n14\n",
            (2, 1),
            expect![[r#"
                --- a.md
                +++ b.md
                @@ -2,7 +2,7 @@
                 2
                 3
                 4
                -5
                +five
                 6
                 7
                 8
                @@ -11,3 +11,4 @@
                 11
                 12
                 13
                +14
            "#]],
        );
        check(
            "",
            "a\n",
            (1, 0),
            expect![[r#"
            --- a.md
            +++ b.md
            @@ -0,0 +1 @@
            +a
        "#]],
        );
        check(
            "a\nb\n",
            "",
            (0, 2),
            expect![[r#"
            --- a.md
            +++ b.md
            @@ -1,2 +0,0 @@
            -a
            -b
        "#]],
        );
    }

    #[test]
    fn missing_newline_and_line_endings_are_shown() {
        check(
            "a\nb",
            "a\nb\n",
            (1, 1),
            expect![[r#"
            --- a.md
            +++ b.md
            @@ -1,2 +1,2 @@
             a
            -b
            \ No newline at end of file
            +b
        "#]],
        );
        check(
            "a\nb\n",
            "a\nc",
            (1, 1),
            expect![[r#"
            --- a.md
            +++ b.md
            @@ -1,2 +1,2 @@
             a
            -b
            +c
            \ No newline at end of file
        "#]],
        );
        assert_eq!(
            unified("a\r", "b\r\n", "x", "y"),
            "--- x\n+++ y\n@@ -1 +1 @@\n-a\r\n\\ No newline at end of file\n+b\r\n"
        );
        assert_eq!(
            unified("a\nb\n", "a\r\nb\n", "x", "y\n+++ z"),
            "--- x\n+++ y +++ z\n@@ -1,2 +1,2 @@\n-a\n+a\r\n b\n"
        );
    }

    #[track_caller]
    fn check_blame(versions: &[&str], expected: &str) {
        let versions: Vec<(&str, &str)> = versions.iter().map(|text| ("someone", *text)).collect();
        let lines = attribute(&versions).into_iter().map(|(version, line)| format!("{version}:{line}"));
        assert_eq!(lines.collect::<Vec<_>>().join(" "), expected);
    }

    #[test]
    fn lines_are_attributed_to_the_version_that_added_them() {
        check_blame(&[], "");
        check_blame(&["a\nb\n"], "0:a 0:b");
        check_blame(&["a\nb\n", "a\nx\nb\n", "a\nx\nb\nc"], "0:a 1:x 0:b 2:c");
        check_blame(&["a\nb\n", "b\n", "a\nb\n"], "2:a 0:b");
        check_blame(&["a\nb", "", "a\nb"], "2:a 2:b");
        check_blame(&["a\n", "a\na\n"], "0:a 1:a");
        check_blame(&["a\nb\nc\n", "b\nc\na\n"], "0:b 0:c 1:a");
        check_blame(&["a\nb\n", ""], "");
    }

    #[test]
    fn line_endings_do_not_change_attribution() {
        check_blame(&["a\nb", "a\r\nb\r\n", "a\nb\nc\n"], "0:a 0:b 2:c");
    }
}
