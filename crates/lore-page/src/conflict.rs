//! Finds the markers that an unfinished merge leaves in a page.

/// Number of characters of a marker.
const LENGTH: usize = 7;

/// Returns the lines, from 1, with conflict markers outside code blocks. Seven equals signs alone underline a heading,
/// and seven quote marks alone quote.
pub fn conflict_markers(text: &str) -> Vec<u32> {
    let mut found = Vec::new();
    let (mut fence, mut open, mut separator) = (None, false, None);
    let lines: Vec<&str> = text.lines().collect();
    for (line, number) in lines.iter().zip(1..) {
        let was_code = fence.is_some();
        fence = fence_after(fence, line);
        if was_code || fence.is_some() {
            continue;
        }
        match marker(line) {
            Some('<') => {
                found.push(number);
                open = true;
            }
            Some('|') if open => found.push(number),
            Some('=') if open => found.push(number),
            Some('=') => separator = Some(number),
            Some('>') if open => {
                found.push(number);
                open = false;
            }
            // The first marker was removed, the others were not.
            Some('>') if !is_quoted(&lines, number) => {
                if let Some(separator) = separator.take() {
                    found.extend([separator, number]);
                }
            }
            _ => {}
        }
    }
    found
}

/// Returns the character of a conflict marker: seven of it, then the end of the line or a blank and a label.
fn marker(line: &str) -> Option<char> {
    let character = line.chars().next().filter(|first| "<|=>".contains(*first))?;
    let rest = line.get(LENGTH..)?;
    let is_marker = line[..LENGTH].chars().all(|other| other == character);
    let is_labelled = rest.starts_with(' ') && !rest.trim().is_empty();
    // git labels both ends, and never the separator.
    let fits = match character {
        '=' => rest.is_empty(),
        '<' => is_labelled,
        _ => is_labelled || rest.is_empty(),
    };
    (is_marker && fits).then_some(character)
}

/// Returns whether a line is in a block quote: a line beside it is one too.
fn is_quoted(lines: &[&str], number: u32) -> bool {
    let at = number as usize - 1;
    let beside = [at.checked_sub(1), Some(at + 1)].into_iter().flatten();
    beside.filter_map(|at| lines.get(at)).any(|line| line.starts_with('>'))
}

/// Returns the fence of the code block that goes on after a line, given the one before it.
fn fence_after(fence: Option<(char, usize)>, line: &str) -> Option<(char, usize)> {
    let text = line.trim_start_matches(' ');
    let is_indented = line.len() - text.len() > 3;
    let character = text.chars().next().filter(|first| !is_indented && matches!(first, '`' | '~'));
    let length = text.chars().take_while(|other| Some(*other) == character).count();
    let rest = &text[length..];
    match fence {
        Some((open, least)) => {
            let closes = character == Some(open) && length >= least && rest.trim().is_empty();
            if closes { None } else { fence }
        }
        None if length >= 3 && !(character == Some('`') && rest.contains('`')) => Some((character?, length)),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[u32]) {
        assert_eq!(conflict_markers(text), expected, "{text}");
    }

    #[test]
    fn markers_of_a_merge_are_found() {
        check("a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> topic\nd\n", &[2, 4, 6]);
        check(
            "<<<<<<< HEAD\r\nb\r\n||||||| 1234abc\r\nx\r\n=======\r\nc\r\n>>>>>>> topic\r\n",
            &[1, 3, 5, 7],
        );
        check("---\n<<<<<<< HEAD\ntitle: A\n=======\ntitle: B\n>>>>>>> topic\n---\n", &[2, 4, 6]);
        check("<<<<<<< Updated upstream\nb\n", &[1]);
        check("a\n=======\nb\n>>>>>>> topic (a change)\nc\n", &[2, 4]);
        check("```\ncode\n```\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n", &[4, 6, 8]);
    }

    #[test]
    fn headings_quotes_and_code_are_not_markers() {
        check("Heading\n=======\n\ntext\n", &[]);
        check("Heading\n=======\n\n>>>>>>> deep\n>>>>>>> quote\n", &[]);
        check(">>>>>>> deep quote\n", &[]);
        check("```\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n```\n", &[]);
        check("~~~~ diff\n<<<<<<< HEAD\n~~~\n>>>>>>> x\n~~~~\n", &[]);
        check("    <<<<<<< HEAD\n", &[]);
        check("<<<<<<<\n<<<<<<<<< nine\n<<<<<<<HEAD\n| ||||||| |\n======== \n", &[]);
    }
}
