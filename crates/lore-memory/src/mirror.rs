//! Copies of pages for another directory: without credentials, without what the rules leave out, and without pages that
//! opt out.

use std::collections::HashMap;

use lore_engine::{Error, Mirror, Result, VaultContext};
use lore_page::edit::{self, SectionPlace};
use lore_page::{Format, parse};
use lore_ports::{Filter, Order, Window};
use lore_text::fold;
use lore_text::secrets::masked;
use lore_vault::{decode, without_extension};

use crate::derived::is_kept_back;

/// Section of the rules page that lists what is left out.
const LEAVE_OUT: &str = "Always leave out";

/// Section of the rules page that lists what stays even so.
const INCLUDE: &str = "Always include";

/// A page to copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mirrored {
    /// Path in the vault.
    pub path: String,
    /// File name of the copy.
    pub name: String,
    /// Text of the copy; none if the page must not be copied.
    pub text: Option<String>,
}

/// A rule of the rules page.
#[derive(Debug, Clone, PartialEq, Eq)]
enum ExportRule {
    /// A section, by its heading.
    Section(String),
    /// Lines that contain a text, in lower case.
    Text(String),
}

/// Returns the pages of a mirror with the texts of their copies, sorted by path.
pub fn mirrored_pages(context: &VaultContext, name: &str) -> Result<Vec<Mirrored>> {
    let policy = context.policy();
    let Some(mirror) = policy.mirrors.get(name) else {
        let known: Vec<&str> = policy.mirrors.keys().map(String::as_str).collect();
        return Err(Error::BadInput {
            message: format!("no mirror named {name:?}"),
            hint: match known.as_slice() {
                [] => "add a [mirror.NAME] to lore.toml".into(),
                known => format!("use one of {}", known.join(", ")),
            },
        });
    };
    let rules = rules(context, mirror)?;
    let all = Window { limit: i64::MAX as usize, offset: 0 };
    let mut pages = context.store().list(context.project(), &Filter::default(), Order::Title, all)?;
    pages.retain(|page| mirror.pages.matches(&page.path));
    pages.sort_by(|a, b| a.path.cmp(&b.path));
    let mut copies = Vec::new();
    for page in pages {
        let Some(file) = context.vault().read(&page.path, u64::MAX)? else { continue };
        let text = decode(&file.bytes).text;
        let opted_out = mirror.opt_out.as_ref().is_some_and(|key| is_kept_back(&page.path, &text, key));
        let name = page.path.rsplit('/').next().unwrap_or(&page.path).to_owned();
        let text = (!opted_out).then(|| exported(&page.path, &text, &rules));
        copies.push(Mirrored { path: page.path, name, text });
    }
    check_names(&copies)?;
    Ok(copies)
}

/// Returns an error if two pages would have the same copy. Names that differ only in case are the same file on some disks.
fn check_names(copies: &[Mirrored]) -> Result<()> {
    let mut taken: HashMap<String, &str> = HashMap::new();
    for copy in copies {
        if let Some(other) = taken.insert(fold(&copy.name), &copy.path) {
            return Err(Error::BadInput {
                message: format!("{other} and {} would both be copied to {}", copy.path, copy.name),
                hint: "rename one of them, or narrow `pages` of the mirror in lore.toml; nothing was copied"
                    .into(),
            });
        }
    }
    Ok(())
}

/// The rules: what is left out, and what stays even so.
#[derive(Default)]
struct Rules {
    leave_out: Vec<ExportRule>,
    include: Vec<ExportRule>,
}

fn rules(context: &VaultContext, mirror: &Mirror) -> Result<Rules> {
    let Some(stem) = mirror.rules.as_deref().map(without_extension) else { return Ok(Rules::default()) };
    for extension in ["md", "org"] {
        let path = format!("{stem}.{extension}");
        if let Some(file) = context.vault().read(&path, u64::MAX)? {
            let (format, text) = (Format::of(&path), decode(&file.bytes).text);
            return Ok(Rules {
                leave_out: listed(format, &text, LEAVE_OUT),
                include: listed(format, &text, INCLUDE),
            });
        }
    }
    // Without its rules, a copy would have what they leave out.
    Err(Error::BadInput {
        message: format!("the page with the rules of the mirror, {stem}.md, does not exist"),
        hint: "write it, or remove `rules` of the mirror from lore.toml; nothing was copied".into(),
    })
}

/// Returns the list items of a section as rules.
fn listed(format: Format, text: &str, section: &str) -> Vec<ExportRule> {
    let items = edit::section_items(format, text, section).unwrap_or_default();
    let rule = |item: &str| {
        let item =
            item.trim().trim_start_matches(['-', '*', '+']).trim().trim_matches(['`', '=', '~']).trim();
        match item.strip_prefix("## ").or(item.strip_prefix("* ")) {
            Some(heading) => ExportRule::Section(heading.trim().to_lowercase()),
            None => ExportRule::Text(item.to_lowercase()),
        }
    };
    let rules = items.iter().map(|item| rule(&text[item.start..item.end]));
    rules.filter(|rule| !matches!(rule, ExportRule::Text(text) if text.is_empty())).collect()
}

/// Returns the text of a copy. Credentials are masked first, so that no rule can include one.
fn exported(path: &str, text: &str, rules: &Rules) -> String {
    let text = masked(text, |_| true).into_owned();
    let named = |place: &SectionPlace, rules: &[ExportRule]| {
        rules.contains(&ExportRule::Section(place.heading.text.trim().to_lowercase()))
    };
    let format = Format::of(path);
    let sections = edit::sections(format, &text);
    let removed = sections
        .iter()
        .filter(|place| named(place, &rules.leave_out) && !named(place, &rules.include))
        .collect::<Vec<_>>();
    let text = edit::remove_sections(format, &text, removed);
    let has = |line: &str, rules: &[ExportRule]| {
        let line = line.to_lowercase();
        rules.iter().any(|rule| matches!(rule, ExportRule::Text(text) if line.contains(text)))
    };
    let body = parse(path, &text).page.truth.start;
    let lines = text[body..].split_inclusive('\n');
    let kept = lines.filter(|line| !has(line, &rules.leave_out) || has(line, &rules.include));
    format!("{}{}", &text[..body], kept.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_remove_sections_and_lines() {
        let page = "## Always leave out\n\n- ## Conversations\n- #private\n- `salary`\n\n## Always include\n\n- public\n";
        let listed = |section| listed(Format::Markdown, page, section);
        let rules = Rules { leave_out: listed(LEAVE_OUT), include: listed(INCLUDE) };
        let day = "---\ntitle: salary day\n---\n# Day\n\nI met Ada. #private\nMy Salary rose.\nA public salary.\n\n\
                   ## Conversations\n\nSecret.\n\n## Tasks\n\nDone.\n";
        assert_eq!(
            exported("day.md", day, &rules),
            "---\ntitle: salary day\n---\n# Day\n\nA public salary.\n\n## Tasks\n\nDone.\n"
        );
    }
    #[test]
    fn rules_hold_for_org_pages_and_can_be_one() {
        let page = "* Always leave out\n\n- * Conversations\n- =salary=\n\n* Always include\n\n- public\n";
        let listed = |section| listed(Format::Org, page, section);
        let rules = Rules { leave_out: listed(LEAVE_OUT), include: listed(INCLUDE) };
        let day = "#+title: Day\n\nMy salary rose.\nA public salary.\n\n* Conversations\n\nSecret.\n\n* Tasks\n\nDone.\n";
        assert_eq!(
            exported("day.org", day, &rules),
            "#+title: Day\n\nA public salary.\n\n* Tasks\n\nDone.\n"
        );
    }
}
