//! What to do about credentials that were found. Lore removes them from files and ledger; the history is rewritten with
//! git, by a person.

use super::SecretItem;

/// Returns the steps, in order.
pub(super) fn advice(found: &[SecretItem], history: bool) -> Vec<String> {
    let is_at = |places: &[&str]| found.iter().any(|item| places.contains(&item.place));
    let mut steps = Vec::new();
    if found.is_empty() {
        return steps;
    }
    steps.push("revoke each one where it was issued: a copy may be anywhere by now".into());
    if is_at(&["file", "snapshot", "import", "gap", "state"]) {
        let names = fingerprints(found.iter().filter(|item| !item.is_in_history()));
        steps.push(format!("remove it from files, snapshots and the index: lore secrets purge {names}"));
    }
    if is_at(&["name"]) {
        steps.push("rename the file: lore mv REF NEW-NAME, or git mv".into());
    }
    if is_at(&["commit", "message"]) {
        steps.extend(rewriting(found));
    }
    if is_at(&["unreachable"]) {
        steps.push(
            "delete unreachable objects: git reflog expire --expire=now --all && git gc --prune=now".into(),
        );
    }
    if !history {
        steps.push("search the commits as well: lore secrets scan --history".into());
    }
    steps
}

/// Returns the commands that remove credentials from the history.
fn rewriting(found: &[SecretItem]) -> Vec<String> {
    let mut steps = Vec::new();
    let mut commits: Vec<&str> = found
        .iter()
        .filter(|item| item.is_in_history() && item.place != "unreachable")
        .filter_map(|item| item.commit.as_deref())
        .collect();
    commits.sort_unstable();
    commits.dedup();
    if let [commit] = commits.as_slice() {
        let commit = &commit[..commit.len().min(12)];
        steps.push(format!(
            "if commit {commit} was never pushed: git rebase -i {commit}^, and edit that commit"
        ));
    }
    steps.push(
        "otherwise write each secret on a line of a file outside the vault, then rewrite all commits: \
         git filter-repo --replace-text FILE --replace-message FILE, and delete that file"
            .into(),
    );
    steps.push("to drop a whole file from all commits: git filter-repo --invert-paths --path PATH".into());
    steps.push("then: git push --force --all && git push --force --tags; clone every other copy anew".into());
    steps
}

fn fingerprints<'a>(found: impl Iterator<Item = &'a SecretItem>) -> String {
    let mut names: Vec<&str> = found.map(|item| item.fingerprint.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names.join(" ")
}

impl SecretItem {
    fn is_in_history(&self) -> bool {
        matches!(self.place, "commit" | "message" | "unreachable")
    }
}
