//! The shapes: each writes a vault of a given size.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// A vault of unusual shape.
pub struct Shape {
    pub name: &'static str,
    /// The smaller of the two sizes.
    pub size: usize,
    /// The page that commands are run on.
    pub page: &'static str,
    pub write: fn(&Path, usize),
}

/// Every shape.
pub const SHAPES: [Shape; 24] = [
    Shape {
        name: "one-line",
        size: 1_000_000,
        page: "page",
        write: |root, size| one(root, &"heron ".repeat(size / 6)),
    },
    Shape {
        name: "one-word",
        size: 1_000_000,
        page: "page",
        write: |root, size| one(root, &"h".repeat(size)),
    },
    Shape {
        name: "headings",
        size: 50_000,
        page: "page",
        write: |root, size| lines(root, size, |at| format!("## Heron {at}\n")),
    },
    Shape { name: "links-to-one", size: 50_000, page: "target", write: links_to_one },
    Shape {
        name: "links",
        size: 50_000,
        page: "page",
        write: |root, size| lines(root, size, |at| format!("[[target {at}]]\n")),
    },
    Shape {
        name: "relations",
        size: 10_000,
        page: "page",
        write: |root, size| lines(root, size, |at| format!("- knows [[target {at}]]")),
    },
    Shape {
        name: "facts",
        size: 10_000,
        page: "page",
        write: |root, size| lines(root, size, |at| format!("- role:: heron {at}")),
    },
    Shape {
        name: "observations",
        size: 10_000,
        page: "page",
        write: |root, size| lines(root, size, |at| format!("- [note] heron #tag{at}")),
    },
    Shape { name: "tags", size: 50_000, page: "page", write: |root, size| front(root, "tags", size) },
    Shape { name: "aliases", size: 3_000, page: "page", write: |root, size| front(root, "aliases", size) },
    Shape { name: "properties", size: 10_000, page: "page", write: properties },
    Shape {
        name: "lists",
        size: 5_000,
        page: "page",
        write: |root, size| lines(root, size, |at| format!("{}- heron", "  ".repeat(at % 100))),
    },
    Shape {
        name: "quotes",
        size: 20_000,
        page: "page",
        write: |root, size| one(root, &format!("{} heron", "> ".repeat(size))),
    },
    Shape { name: "table", size: 20_000, page: "page", write: table },
    Shape { name: "entries", size: 10_000, page: "page", write: entries },
    Shape { name: "brackets", size: 100_000, page: "page", write: |root, size| one(root, &"[".repeat(size)) },
    Shape {
        name: "wiki-brackets",
        size: 50_000,
        page: "page",
        write: |root, size| one(root, &"[[a ".repeat(size)),
    },
    Shape { name: "backticks", size: 20_000, page: "page", write: backticks },
    Shape {
        name: "emphasis",
        size: 50_000,
        page: "page",
        write: |root, size| one(root, &"*a _b ".repeat(size)),
    },
    Shape { name: "same-title", size: 2_500, page: "p0", write: same_title },
    Shape { name: "same-alias", size: 2_500, page: "p0", write: same_alias },
    Shape { name: "same-name", size: 2_500, page: "d0/readme", write: same_name },
    Shape { name: "same-id", size: 2_500, page: "p0", write: same_id },
    Shape { name: "files", size: 10_000, page: "p0", write: files },
];

fn one(root: &Path, text: &str) {
    fs::write(root.join("page.md"), format!("# Page\n\n{text}\n")).expect("a page");
    fs::write(root.join("other.md"), "# Other\n\nThe heron lives by the [[page]].\n").expect("a page");
}

fn lines(root: &Path, size: usize, line: fn(usize) -> String) {
    let mut text = String::new();
    for at in 0..size {
        let _ = writeln!(text, "{}", line(at));
    }
    one(root, &text);
}

fn links_to_one(root: &Path, size: usize) {
    lines(root, size, |_| "[[target]]\n".to_owned());
    fs::write(root.join("target.md"), "# Target\n").expect("a page");
}

fn front(root: &Path, key: &str, size: usize) {
    let mut text = format!("---\n{key}:\n");
    for at in 0..size {
        let _ = writeln!(text, "  - heron{at}");
    }
    text.push_str("---\n# Page\n");
    fs::write(root.join("page.md"), text).expect("a page");
}

fn properties(root: &Path, size: usize) {
    let mut text = String::from("---\n");
    for at in 0..size {
        let _ = writeln!(text, "key{at}: heron {at}");
    }
    text.push_str("---\n# Page\n");
    fs::write(root.join("page.md"), text).expect("a page");
}

fn table(root: &Path, size: usize) {
    let mut text = String::from("| a | b |\n|---|---|\n");
    for at in 0..size {
        let _ = writeln!(text, "| heron {at} | [[target {at}]] |");
    }
    one(root, &text);
}

fn entries(root: &Path, size: usize) {
    let mut text = String::from("Truth.\n\n---\n\n## Timeline\n\n");
    for at in 0..size {
        let _ = writeln!(
            text,
            "- **{}-{:02}-{:02}** | log — heron {at}",
            1900 + at % 120,
            1 + at % 12,
            1 + at % 28
        );
    }
    one(root, &text);
}

/// Runs of backticks of every length, none of which is closed.
fn backticks(root: &Path, size: usize) {
    let mut text = String::new();
    for at in 1..size.isqrt() * 8 {
        let _ = write!(text, "{} ", "`".repeat(at));
    }
    one(root, &text);
}

fn same_id(root: &Path, size: usize) {
    for at in 0..size {
        let text = format!("---\nid: 0192f3a1-7c4e-7b21-9d55-0a1b2c3d4e5f\n---\n# Page {at}\n\nheron\n");
        fs::write(root.join(format!("p{at}.md")), text).expect("a page");
    }
}

fn files(root: &Path, size: usize) {
    for at in 0..size {
        fs::write(root.join(format!("p{at}.md")), format!("# Page {at}\n\n[[p{}]] heron\n", at / 2))
            .expect("a page");
    }
}

fn same_title(root: &Path, size: usize) {
    for at in 0..size {
        fs::write(root.join(format!("p{at}.md")), "# Heron\n\nSee [[Heron]] and [[heron]].\n")
            .expect("a page");
    }
}

fn same_alias(root: &Path, size: usize) {
    for at in 0..size {
        let text = format!("---\naliases: [Heron]\n---\n# Page {at}\n\nSee [[Heron]] and [[heron]].\n");
        fs::write(root.join(format!("p{at}.md")), text).expect("a page");
    }
}

fn same_name(root: &Path, size: usize) {
    for at in 0..size {
        let folder = root.join(format!("d{at}"));
        fs::create_dir(&folder).expect("a folder");
        fs::write(
            folder.join("readme.md"),
            "# Readme\n\n[[readme]] [[readme]] [[readme]] [[readme]] [[readme]] heron\n",
        )
        .expect("a page");
    }
}
