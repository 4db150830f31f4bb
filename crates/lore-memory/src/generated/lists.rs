//! Lists and tables in generated blocks: files by folder, captured policies, secret rules.

use std::collections::BTreeMap;

use lore_page::Format;

use super::text::{code, plain, row, table_head};

/// Number of files above which a folder is only counted in the catalogue of the whole vault.
const FOLDER_FILES: usize = 20;

/// Number of files named for a counted folder.
const NAMED: usize = 3;

/// A file in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileLine<'a> {
    /// Path from the vault's root, with `/`.
    pub path: &'a str,
    /// Title.
    pub title: &'a str,
    /// One-sentence summary; may be empty.
    pub summary: &'a str,
}

/// A captured policy in the registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PolicyLine<'a> {
    /// Slug.
    pub slug: &'a str,
    /// Title.
    pub title: &'a str,
    /// `removed`; any other status is active.
    pub status: &'a str,
    /// Date of the last change.
    pub updated: &'a str,
    /// Reason for the policy.
    pub reason: &'a str,
}

/// Returns the files of a vault by folder, sorted by path. Of a folder with many files, only the last names are listed,
/// which are the newest if names start with a date.
pub fn file_catalogue(files: &[FileLine<'_>]) -> String {
    let groups = grouped(files, |path| path.rsplit_once('/').map_or("", |(folder, _)| folder));
    let lists = groups.iter().map(|(folder, files)| {
        let lines = if files.len() > FOLDER_FILES { folder_count(files) } else { file_lines(files) };
        format!("{}{lines}", heading(folder))
    });
    lists.collect::<Vec<_>>().join("\n")
}

/// Returns all files of a folder by subfolder, except the folder's own `_index.md`.
pub fn folder_list(folder: &str, files: &[FileLine<'_>]) -> String {
    let folder = folder.trim_matches('/');
    let inside = |path| if folder.is_empty() { Some(path) } else { path_below(folder, path) };
    let listed_files = files.iter().filter(|file| inside(file.path).is_some_and(|name| name != "_index.md"));
    let listed_files: Vec<FileLine<'_>> = listed_files.copied().collect();
    let groups = grouped(&listed_files, |path| {
        inside(path).and_then(|name| name.split_once('/')).map_or("", |(below, _)| below)
    });
    let lists = groups.iter().map(|(below, files)| format!("{}{}", heading(below), file_lines(files)));
    lists.collect::<Vec<_>>().join("\n")
}

/// Returns tables of the active and the removed policies, sorted by slug.
pub fn registry(policies: &[PolicyLine<'_>]) -> String {
    let mut policies = policies.to_vec();
    policies.sort_unstable();
    let is_removed = |policy: &&PolicyLine<'_>| policy.status.trim().eq_ignore_ascii_case("removed");
    let (removed, active): (Vec<_>, Vec<_>) = policies.iter().partition(is_removed);
    format!("## Active\n\n{}\n## Removed\n\n{}", policy_table(&active), policy_table(&removed))
}

/// Returns the slugs and titles of the active policies, sorted by slug.
pub fn active_list(policies: &[PolicyLine<'_>]) -> String {
    let is_active = |policy: &&PolicyLine<'_>| !policy.status.trim().eq_ignore_ascii_case("removed");
    let mut active: Vec<&PolicyLine<'_>> = policies.iter().filter(is_active).collect();
    active.sort_unstable();
    match active.as_slice() {
        [] => "None.\n".to_owned(),
        active => active
            .iter()
            .map(|one| {
                format!("- {}: {}\n", code(Format::Markdown, one.slug), plain(Format::Markdown, one.title))
            })
            .collect(),
    }
}

/// Returns the files of the inbox that nobody has sorted; empty if there are none.
pub fn inbox_list(paths: &[String]) -> String {
    let files = match paths.len() {
        0 => return String::new(),
        1 => "1 file".to_owned(),
        count => format!("{count} files"),
    };
    let named =
        paths.iter().take(NAMED).map(|path| code(Format::Markdown, path)).collect::<Vec<_>>().join(", ");
    let more = if paths.len() > NAMED { ", …" } else { "" };
    format!("- [ ] Sort the inbox: {files} ({named}{more})\n")
}

/// Returns a table of what each routine reads besides the injected pages.
pub fn flow_table(flows: &[(String, Vec<String>)]) -> String {
    if flows.is_empty() {
        return String::new();
    }
    let pages = |pages: &[String]| {
        pages.iter().map(|page| code(Format::Markdown, page)).collect::<Vec<_>>().join(", ")
    };
    let rows = flows.iter().map(|(name, read)| row(&[plain(Format::Markdown, name), pages(read)]));
    let head = table_head(Format::Markdown, &["Routine", "Reads"]);
    format!("\n### Routines\n\n{head}{}", rows.collect::<String>())
}

/// Returns a table of secret rules, each with its name and description, in the given order.
pub fn redaction(rules: &[(&str, &str)]) -> String {
    let rows =
        rules.iter().map(|(name, what)| row(&[plain(Format::Markdown, name), plain(Format::Markdown, what)]));
    format!("{}{}", table_head(Format::Markdown, &["Rule", "What it finds"]), rows.collect::<String>())
}

fn policy_table(policies: &[&PolicyLine<'_>]) -> String {
    if policies.is_empty() {
        return "None.\n".to_owned();
    }
    let rows = policies.iter().map(|policy| {
        row(&[
            code(Format::Markdown, policy.slug),
            plain(Format::Markdown, policy.title),
            plain(Format::Markdown, policy.reason),
            plain(Format::Markdown, policy.updated),
        ])
    });
    format!(
        "{}{}",
        table_head(Format::Markdown, &["Policy", "Title", "Reason", "Updated"]),
        rows.collect::<String>()
    )
}

/// Groups the files by a part of their path, sorted.
fn grouped<'f, 'a>(
    files: &'f [FileLine<'a>],
    key: impl Fn(&'a str) -> &'a str,
) -> BTreeMap<&'a str, Vec<&'f FileLine<'a>>> {
    let mut groups: BTreeMap<&str, Vec<&FileLine<'_>>> = BTreeMap::new();
    for file in files {
        groups.entry(key(file.path)).or_default().push(file);
    }
    groups.values_mut().for_each(|files| files.sort_unstable());
    groups
}

fn path_below<'a>(folder: &str, path: &'a str) -> Option<&'a str> {
    path.strip_prefix(folder)?.strip_prefix('/')
}

fn heading(folder: &str) -> String {
    let folder = if folder.is_empty() { "." } else { folder };
    format!("### {}/\n\n", plain(Format::Markdown, folder))
}

fn file_lines(files: &[&FileLine<'_>]) -> String {
    files.iter().map(|file| format!("- {}\n", line(file))).collect()
}

fn line(file: &FileLine<'_>) -> String {
    let (path, title, summary) = (
        code(Format::Markdown, file.path),
        plain(Format::Markdown, file.title),
        plain(Format::Markdown, file.summary),
    );
    match (title.is_empty(), summary.is_empty()) {
        (true, true) => path,
        (false, true) => format!("{path} — {title}"),
        (true, false) => format!("{path} — {summary}"),
        (false, false) => format!("{path} — {title}: {summary}"),
    }
}

fn folder_count(files: &[&FileLine<'_>]) -> String {
    let last =
        files.iter().rev().take(NAMED).map(|file| code(Format::Markdown, file.path)).collect::<Vec<_>>();
    format!("- {} files; the last by name: {}\n", files.len(), last.join(", "))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    fn file<'a>(path: &'a str, title: &'a str, summary: &'a str) -> FileLine<'a> {
        FileLine { path, title, summary }
    }

    #[test]
    fn files_are_listed_by_folder() {
        let days: Vec<String> = (1..=21).map(|day| format!("journal/daily/2026-05-{day:02}.md")).collect();
        let mut files: Vec<FileLine<'_>> = days.iter().map(|path| file(path, "A day", "")).collect();
        files.extend([
            file("state/today.md", "Today", "What is on"),
            file("identity/work.md", "Work", ""),
            file("identity/profile.md", "Profile", "Who | what: [[Ada]]"),
            file("README.md", "", "Read this first"),
            file("notes.md", "", ""),
        ]);
        expect![[r#"
            ### ./

            - `README.md` — Read this first
            - `notes.md`

            ### identity/

            - `identity/profile.md` — Profile: Who \| what: \[\[Ada\]\]
            - `identity/work.md` — Work

            ### journal/daily/

            - 21 files; the last by name: `journal/daily/2026-05-21.md`, `journal/daily/2026-05-20.md`, `journal/daily/2026-05-19.md`

            ### state/

            - `state/today.md` — Today: What is on
        "#]]
        .assert_eq(&file_catalogue(&files));
        let few: Vec<FileLine<'_>> = files.iter().copied().skip(1).collect();
        assert_eq!(file_catalogue(&few).matches("A day").count(), 20, "twenty files are still listed");
        files.reverse();
        assert!(file_catalogue(&files).starts_with("### ./\n\n- `README.md`"), "order must not matter");
        assert_eq!(file_catalogue(&[]), "");
    }

    #[test]
    fn folder_is_listed_by_subfolder() {
        let files = [
            file("work/meetings/2026/a.md", "A", "First"),
            file("work/books/b.md", "B", ""),
            file("work/c.md", "C", ""),
            file("work/_index.md", "Work", ""),
            file("workshop/d.md", "D", ""),
        ];
        expect![[r#"
            ### ./

            - `work/c.md` — C

            ### books/

            - `work/books/b.md` — B

            ### meetings/

            - `work/meetings/2026/a.md` — A: First
        "#]]
        .assert_eq(&folder_list("work/", &files));
        assert!(folder_list("", &files).starts_with("### work/\n\n- `work/_index.md`"), "the whole vault");
    }

    #[test]
    fn policies_are_split_into_active_and_removed() {
        let policy =
            |slug, status, reason| PolicyLine { slug, title: "T", status, updated: "2026-05-01", reason };
        expect![[r#"
            ## Active

            | Policy | Title | Reason | Updated |
            |---|---|---|---|
            | `a` | T | said \| so | 2026-05-01 |
            | `b` | T |  | 2026-05-01 |

            ## Removed

            | Policy | Title | Reason | Updated |
            |---|---|---|---|
            | `c` | T | over | 2026-05-01 |
        "#]]
        .assert_eq(&registry(&[
            policy("c", "Removed", "over"),
            policy("b", "active", ""),
            policy("a", "", "said | so"),
        ]));
        assert_eq!(registry(&[]), "## Active\n\nNone.\n\n## Removed\n\nNone.\n");
    }

    #[test]
    fn secret_rules_keep_their_order() {
        expect![[r#"
            | Rule | What it finds |
            |---|---|
            | pem | \-----BEGIN … PRIVATE KEY----- |
            | aws | \`AKIA\` and 16 letters |
        "#]]
        .assert_eq(&redaction(&[("pem", "-----BEGIN … PRIVATE KEY-----"), ("aws", "`AKIA` and 16 letters")]));
    }
}
