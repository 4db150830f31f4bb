//! Compares how Lore and Emacs's `org-lint` judge the structure of Org pages, if Emacs is installed.

use std::collections::BTreeMap;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lore_engine::{Access, Finding, Lint, VaultContext};
use lore_vault::decode;
use lore_vault::process::run_program;

use super::installation::is_installed;
use super::{DiagnosisItem, note, ok};
use crate::app::error::Result;

/// Reads pages from standard input and prints the findings. It gets the texts, so Emacs opens no file of the vault.
const SCRIPT: &str = include_str!("org_lint.el");

/// Maximum time for all pages.
const LIMIT: Duration = Duration::from_secs(20);

/// Maximum number of differences that are listed.
const SHOWN: usize = 5;

/// The first finding of a program on a page: the line, if known, and the message.
type FirstFinding = (Option<u32>, String);

/// Compares the findings for every Org page. In a vault that may only be read, no program runs on its text.
pub(super) fn compare(context: &VaultContext, findings: &[Finding]) -> Result<Vec<DiagnosisItem>> {
    if context.access() == Access::ReadOnly {
        return Ok(Vec::new());
    }
    let (paths, input) = pages(context)?;
    if paths.is_empty() || !is_installed("emacs") {
        return Ok(Vec::new());
    }
    let words = ["emacs", "-Q", "--batch", "--chdir=/", "--eval", SCRIPT].map(str::to_owned);
    let output = match run_program(&words, &input, LIMIT) {
        Ok(output) => String::from_utf8_lossy(&output).into_owned(),
        Err(error) => return Ok(vec![failed(error.to_string())]),
    };
    let Some(theirs) = parse(&output, &paths) else {
        return Ok(vec![failed("did not finish".into())]);
    };
    let own = findings.iter().filter(|found| found.lint == Lint::Structure && paths.contains(&found.path));
    let mut ours: BTreeMap<&str, FirstFinding> = BTreeMap::new();
    for found in own {
        ours.entry(&found.path).or_insert_with(|| (found.line, found.message.clone()));
    }
    Ok(differences(&ours, &theirs, paths.len()))
}

/// Returns the paths of the Org pages, and their texts as the script reads them.
fn pages(context: &VaultContext) -> Result<(Vec<String>, String)> {
    let known = context.store().fingerprints(context.project(), context.replica(), None)?;
    let (mut paths, mut input) = (Vec::new(), String::new());
    for page in known.into_iter().filter(|page| page.path.ends_with(".org") && context.indexes(&page.path)) {
        // `lint` reports a file that cannot be read.
        let Ok(Some(file)) = context.vault().read(&page.path, u64::MAX) else { continue };
        STANDARD.encode_string(decode(&file.bytes).text.as_bytes(), &mut input);
        input.push('\n');
        paths.push(page.path);
    }
    Ok((paths, input))
}

/// Reads the output of the script: the first finding of each page; `None` if the last line is missing.
fn parse<'a>(output: &str, paths: &'a [String]) -> Option<BTreeMap<&'a str, FirstFinding>> {
    let found = output.strip_suffix("done\n")?;
    let mut theirs = BTreeMap::new();
    for line in found.lines() {
        let mut fields = line.splitn(4, '\t');
        let number: usize = fields.next()?.parse().ok()?;
        let at = fields.next()?.parse().ok();
        let message = fields.nth(1)?.to_owned();
        theirs.entry(paths.get(number.checked_sub(1)?)?.as_str()).or_insert((at, message));
    }
    Some(theirs)
}

/// Returns the pages that only one of the programs reports.
fn differences(
    ours: &BTreeMap<&str, FirstFinding>,
    theirs: &BTreeMap<&str, FirstFinding>,
    pages: usize,
) -> Vec<DiagnosisItem> {
    let place = |path: &str, (line, message): &FirstFinding| {
        format!("{path}{}: {message}", line.map(|line| format!(":{line}")).unwrap_or_default())
    };
    let only_theirs = theirs.iter().filter(|(path, _)| !ours.contains_key(*path)).map(|(path, finding)| {
        let what = format!("only org-lint reports {}", place(path, finding));
        note(what, "Lore can index the page; fix it if Emacs should fold or export it correctly")
    });
    let only_ours = ours.iter().filter(|(path, _)| !theirs.contains_key(*path)).map(|(path, finding)| {
        note(
            format!("only lore lint reports {}", place(path, finding)),
            "fix the page; org-lint has no such check",
        )
    });
    let mut items: Vec<DiagnosisItem> = only_theirs.chain(only_ours).collect();
    let more = items.len().saturating_sub(SHOWN);
    items.truncate(SHOWN);
    match (items.len(), more) {
        (0, _) => {
            let pages = format!("{pages} Org page{}", if pages == 1 { "" } else { "s" });
            items.push(ok(format!("org-lint: agrees with lore lint on {pages}")));
        }
        (_, 0) => {}
        (_, more) => items.push(note(
            format!("{more} more pages are reported only by org-lint or only by lore lint"),
            "fix the ones above first",
        )),
    }
    items
}

fn failed(why: String) -> DiagnosisItem {
    note(format!("cannot compare with org-lint: emacs {why}"), "`lore lint` works without Emacs")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_that_one_program_reports_are_listed() {
        let paths: Vec<String> = ["a.org", "b.org", "c.org"].map(str::to_owned).to_vec();
        let output =
            "1\t3\tinvalid-block\tPossible incomplete block\n2\t1\tincomplete-drawer\tDrawer\ndone\n";
        let theirs = parse(output, &paths).expect("findings");
        let ours = BTreeMap::from([("b.org", (Some(4), "x".to_owned())), ("c.org", (None, "y".to_owned()))]);
        let whats: Vec<String> = differences(&ours, &theirs, 3).into_iter().map(|item| item.what).collect();
        assert_eq!(
            whats,
            ["only org-lint reports a.org:3: Possible incomplete block", "only lore lint reports c.org: y"]
        );
        let items = differences(&BTreeMap::new(), &BTreeMap::new(), 1);
        assert_eq!(items[0].what, "org-lint: agrees with lore lint on 1 Org page");
    }

    #[test]
    fn cut_output_is_no_agreement() {
        assert_eq!(parse("1\t3\tinvalid-block\tx\n", &["a.org".to_owned()]), None);
        assert_eq!(parse("9\t3\tinvalid-block\tx\ndone\n", &["a.org".to_owned()]), None);
    }
}
