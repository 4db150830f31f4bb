//! Links, code and emphasis inside a line.

use crate::org::{self, Target};
use crate::wiki::{self, LinkOrder};

/// Rewrites a line of Markdown text as Org.
pub(super) fn to_org(line: &str) -> String {
    let mut out = String::with_capacity(line.len() + 8);
    let bytes = line.as_bytes();
    let links = wiki::find(line);
    let (mut at, mut next) = (0, 0);
    while at < line.len() {
        while next < links.len() && links[next].start < at {
            next += 1;
        }
        if let Some(link) = links.get(next).filter(|link| link.start == at) {
            out.push_str(&wiki_to_org(&line[link.start + 2..link.end - 2]));
            at = link.end;
            continue;
        }
        let rest = &line[at..];
        let taken = match bytes[at] {
            b'`' => code_to_org(rest, &mut out),
            b'[' => link_to_org(rest, &mut out),
            b'!' if rest.starts_with("![") => image_to_org(rest, &mut out),
            b'*' | b'_' => emphasis_to_org(line, at, &mut out),
            b'~' if rest.starts_with("~~") => wrapped(rest, "~~", '+', &mut out),
            _ => 0,
        };
        if taken > 0 {
            at += taken;
        } else {
            let length = rest.chars().next().map_or(1, char::len_utf8);
            out.push_str(&rest[..length]);
            at += length;
        }
    }
    out
}

/// Returns the Org form of the contents of a wiki link's brackets.
fn wiki_to_org(inner: &str) -> String {
    let Some(read) = wiki::read(inner, LinkOrder::TargetFirst) else {
        let heading = inner.trim().trim_start_matches('#');
        let (heading, label) = heading.split_once('|').unwrap_or((heading, ""));
        let label = if label.is_empty() { String::new() } else { format!("[{label}]") };
        return format!("[[*{heading}]{label}]");
    };
    let escaped = |text: &str| text.replace('[', "\\[").replace(']', "\\]");
    let place = read.heading.map(|heading| format!("::*{}", escaped(&heading))).unwrap_or_default();
    let label = read.label.map(|label| format!("[{label}]")).unwrap_or_default();
    // A name that Org would read as an address or a path is marked as a name.
    let target = escaped(&read.target);
    let scheme = match org::target_of(&target) {
        Target::Name(_) | Target::Id(..) => "",
        _ => "roam:",
    };
    format!("[[{scheme}{target}{place}]{label}]")
}

fn code_to_org(rest: &str, out: &mut String) -> usize {
    let end = wiki::code_end(rest, 0);
    let ticks = rest.bytes().take_while(|byte| *byte == b'`').count();
    if end <= ticks {
        return 0;
    }
    let inner = &rest[ticks..end - ticks];
    let mark = if inner.contains('=') { '~' } else { '=' };
    let fits = !inner.contains(mark) && inner.trim() == inner && !inner.is_empty();
    if fits {
        out.push_str(&format!("{mark}{inner}{mark}"));
    } else {
        out.push_str(&rest[..end]);
    }
    end
}

/// Writes `[text](address)` as `[[address][text]]`; returns its length.
fn link_to_org(rest: &str, out: &mut String) -> usize {
    let Some(close) = rest.find("](") else { return 0 };
    let label = &rest[1..close];
    let Some(length) = rest[close + 2..].find(')') else { return 0 };
    let address = rest[close + 2..close + 2 + length].trim();
    let is_plain = !label.is_empty()
        && !label.contains(['[', ']'])
        && !address.is_empty()
        && !address.contains(['[', ']', '(', ' ', '<', '"']);
    if !is_plain {
        return 0;
    }
    let (path, fragment) = address.split_once('#').unwrap_or((address, ""));
    let is_path = !path.contains(':') && !path.is_empty();
    let target = match (is_path, fragment.is_empty()) {
        (true, true) => format!("file:{path}"),
        (true, false) => format!("file:{path}::*{fragment}"),
        (false, _) => address.to_owned(),
    };
    out.push_str(&format!("[[{target}][{label}]]"));
    close + 2 + length + 1
}

/// Writes `![label](path)` as `[[file:path][label]]`; returns its length.
fn image_to_org(rest: &str, out: &mut String) -> usize {
    let Some((label, after)) = rest[2..].split_once("](") else { return 0 };
    let Some((written, _)) = after.split_once(')') else { return 0 };
    let angled = written.strip_prefix('<').and_then(|path| path.strip_suffix('>'));
    let path = angled.unwrap_or(written);
    let has_space = angled.is_none() && path.contains(' ');
    if label.contains(['[', ']']) || path.is_empty() || has_space || path.contains(['[', ']', ':', '<']) {
        return 0;
    }
    let shown = if label.is_empty() { String::new() } else { format!("[{label}]") };
    out.push_str(&format!("[[file:{path}]{shown}]"));
    2 + label.len() + 2 + written.len() + 1
}

/// Writes `**bold**` as `*bold*`, and `*text*` and `_text_` as `/text/`.
fn emphasis_to_org(line: &str, at: usize, out: &mut String) -> usize {
    let rest = &line[at..];
    let is_inside_word = line[..at].ends_with(char::is_alphanumeric);
    if is_inside_word {
        return 0;
    }
    if rest.starts_with("**") {
        return wrapped(rest, "**", '*', out);
    }
    wrapped(rest, &rest[..1], '/', out)
}

/// Writes a text between two equal marks with another mark; returns its length.
fn wrapped(rest: &str, mark: &str, new: char, out: &mut String) -> usize {
    let inner = &rest[mark.len()..];
    let Some(end) = inner.find(mark) else { return 0 };
    let text = &inner[..end];
    let after = &inner[end + mark.len()..];
    let fits = !text.is_empty()
        && text.trim() == text
        && !text.contains(['[', '`', '*', new])
        && !after.starts_with(|c: char| c.is_alphanumeric() || c == '*');
    if !fits {
        return 0;
    }
    out.push_str(&format!("{new}{text}{new}"));
    end + 2 * mark.len()
}

/// Rewrites a line of Org text as Markdown.
pub(super) fn to_markdown(line: &str) -> String {
    let mut out = String::with_capacity(line.len() + 8);
    let links = org::bracket_links(line);
    let (mut at, mut next) = (0, 0);
    while at < line.len() {
        while next < links.len() && links[next].range.start < at {
            next += 1;
        }
        if let Some(link) = links.get(next).filter(|link| link.range.start == at) {
            let label = link.label.clone().map(|label| &line[label]);
            out.push_str(&org_to_markdown(&line[link.target.clone()], label));
            at = link.range.end;
            continue;
        }
        let rest = &line[at..];
        let is_start =
            !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '\\' || c == '/' || c == ':');
        let taken = match rest.as_bytes()[0] {
            mark @ (b'=' | b'~') if is_start => marked(rest, mark, "`", &mut out),
            b'*' if is_start => marked(rest, b'*', "**", &mut out),
            b'/' if is_start => marked(rest, b'/', "*", &mut out),
            b'+' if is_start => marked(rest, b'+', "~~", &mut out),
            _ => 0,
        };
        if taken > 0 {
            at += taken;
        } else {
            let length = rest.chars().next().map_or(1, char::len_utf8);
            out.push_str(&rest[..length]);
            at += length;
        }
    }
    out
}

fn org_to_markdown(target: &str, label: Option<&str>) -> String {
    let plain = target.replace("\\[", "[").replace("\\]", "]");
    // A custom id is no heading.
    if plain.starts_with('#') && !plain.contains(char::is_whitespace) {
        return format!("[{}]({plain})", label.unwrap_or(&plain));
    }
    let place = |place: Option<&str>| place.map(|place| format!("#{place}")).unwrap_or_default();
    let labelled = |name: &str| label.map_or(format!("[[{name}]]"), |label| format!("[[{name}|{label}]]"));
    match org::target_of(&plain) {
        Target::Id(id, heading) => labelled(&format!("id:{id}{}", place(heading))),
        Target::Name(name) => {
            let (name, heading) = name.split_once("::").unwrap_or((name, ""));
            let heading = heading.trim_start_matches('*');
            labelled(&format!("{name}{}", place(Some(heading).filter(|heading| !heading.is_empty()))))
        }
        Target::Heading(heading) => labelled(&format!("#{heading}")),
        Target::File(path, heading) => {
            let shown = label.unwrap_or(path);
            format!("[{shown}]({path}{})", place(heading))
        }
        Target::Elsewhere => {
            let file = plain.strip_prefix("file:");
            let address = file.unwrap_or(&plain);
            let is_file = file.is_some() || address.starts_with(['/', '~', '.']);
            match label {
                None if is_file && address.contains(' ') => format!("![](<{address}>)"),
                None if is_file => format!("![]({address})"),
                Some(label) => format!("[{label}]({address})"),
                None => format!("<{address}>"),
            }
        }
    }
}

/// Writes a text between two equal marks with other marks; returns its length.
fn marked(rest: &str, mark: u8, new: &str, out: &mut String) -> usize {
    let inner = &rest[1..];
    let Some(end) = inner.find(char::from(mark)) else { return 0 };
    let (text, after) = (&inner[..end], &inner[end + 1..]);
    let fits = !text.is_empty()
        && text.trim() == text
        // A link in code is code, but not one in bold text.
        && (new == "`" || !text.contains('['))
        && !text.contains('`')
        && !after.starts_with(|c: char| c.is_alphanumeric() || c == char::from(mark));
    if !fits {
        return 0;
    }
    out.push_str(&format!("{new}{text}{new}"));
    end + 2
}
