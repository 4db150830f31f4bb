//! Credentials: what the policy permits, and how one is reported. Pure.

use lore_text::secrets::{Leak, MARK, masked, scan, scan_bytes};
use lore_text::slugify;

use super::Finding;
use crate::policy::{Level, Lint, Policy};

/// Minimum length of a credential that is looked for in a path.
const MIN_SHOWN: usize = 8;

/// Returns the credentials that the policy does not permit.
pub(crate) fn refused(policy: &Policy, mut leaks: Vec<Leak>) -> Vec<Leak> {
    let settings = &policy.secrets;
    leaks.retain(|leak| {
        let off = settings.off.iter().any(|name| name.get_ref() == leak.rule);
        let allowed = settings
            .allow
            .iter()
            .any(|line| line.rule.get_ref() == leak.rule && line.line == leak.fingerprint);
        !off && !allowed
    });
    leaks
}

/// Returns the finding for a credential, at the level of the policy.
pub(crate) fn secret_finding(policy: &Policy, path: &str, leak: &Leak) -> Option<Finding> {
    let lint = if leak.certain { Lint::Secret } else { Lint::SecretLikely };
    let level = policy.lint.level(lint);
    let (rule, column) = (leak.rule, leak.column);
    let what = if leak.certain { "a credential" } else { "a possible credential" };
    let form = leak.form.what().map(|form| format!(", {form}")).unwrap_or_default();
    let message = format!(
        "{what} at column {column} [{rule}{form}]; if it is not one, allow it in lore.toml: \
         [[secrets.allow]] rule = \"{rule}\", line = \"{}\"",
        leak.fingerprint
    );
    let (path, line) = (path.to_owned(), Some(leak.line));
    (level > Level::Off).then_some(Finding { lint, level, path, line, message, fixable: false })
}

/// Returns the findings for the credentials in a text. A path that is made from one, such as that of a page with it as
/// title, does not show it either.
pub(crate) fn text_findings(policy: &Policy, path: &str, text: &str, leaks: &[Leak]) -> Vec<Finding> {
    let mut shown = shown(path);
    for leak in leaks {
        let value = text.get(leak.span.clone()).unwrap_or_default();
        let slug = slugify(value);
        for name in [value, &slug].into_iter().filter(|name| name.len() >= MIN_SHOWN) {
            shown = shown.replace(name, MARK);
        }
    }
    leaks.iter().filter_map(|leak| secret_finding(policy, &shown, leak)).collect()
}

/// Returns the credentials in the bytes of any file that the policy does not permit.
pub fn secrets_in(policy: &Policy, bytes: &[u8]) -> Vec<Leak> {
    refused(policy, scan_bytes(bytes))
}

/// Returns the findings for the credentials in the bytes of any file, data included.
pub(crate) fn byte_findings(policy: &Policy, path: &str, bytes: &[u8]) -> Vec<Finding> {
    let leaks = secrets_in(policy, bytes);
    leaks.iter().filter_map(|leak| secret_finding(policy, path, leak)).collect()
}

/// Returns the findings for the credentials in a name or path, which they do not show.
pub(crate) fn name_findings(policy: &Policy, path: &str) -> Vec<Finding> {
    let leaks = refused(policy, scan(path));
    let shown = shown(path);
    leaks.iter().filter_map(|leak| secret_finding(policy, &shown, leak)).map(in_name).collect()
}

/// Returns a path without the credentials in it.
pub fn shown(path: &str) -> String {
    masked(path, |_| true).into_owned()
}

fn in_name(found: Finding) -> Finding {
    Finding {
        line: None,
        message: found.message.replacen("credential", "credential in its name", 1),
        ..found
    }
}
