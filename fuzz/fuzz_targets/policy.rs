//! Checks that any `lore.toml` is accepted or refused with a line that exists, and that an accepted policy decides about
//! every path without panicking and without leading out of the vault.

#![no_main]

use libfuzzer_sys::fuzz_target;
use lore_engine::{Policy, Verb, page_findings};

/// Paths that profiles have rules for, old paths, and others.
const PATHS: [&str; 9] = [
    "page.md",
    "people/ada.md",
    "state/today.md",
    "journal/daily/2026-05-18.md",
    "today.md",
    "user/profile.md",
    "raw/files/paper.pdf",
    "people/.raw/ada.json",
    "a/b/c/d/e/f/g.md",
];

const PAGE: &str =
    "---\ntitle: Ada\nstatus: active\ntags: [a]\n---\n# Ada\n\n## State\n\n- role:: x {2020..}\n";

fuzz_target!(|text: &str| {
    let policy = match Policy::parse(text) {
        Ok(policy) => policy,
        Err((line, message)) => {
            let lines = text.split('\n').count();
            assert!(line.is_none_or(|line| (1..=lines).contains(&line)), "line {line:?} of {lines}");
            assert!(!message.is_empty() && !message.contains('\n'), "{message:?}");
            return;
        }
    };
    policy.index_mark();
    for path in PATHS {
        policy.classify(path, false);
        let allowed = policy.allowed(path);
        for verb in Verb::ALL {
            assert_eq!(policy.allow(path, &[verb]).is_ok(), allowed.contains(&verb), "{path}: {verb:?}");
        }
        policy.schema(path);
        assert!(!policy.type_of(path).contains(['/', '\\']), "a type that is a path");
        if let Some(now) = policy.alias(path) {
            assert!(!now.starts_with('/') && now.split('/').all(|name| name != ".."), "{path} is now {now}");
        }
        page_findings(&policy, path, PAGE);
    }
});
