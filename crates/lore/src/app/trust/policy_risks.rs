//! Keys of `lore.toml` that could do harm: what reaches every agent, what is run at regular times, what leaves the vault.

use lore_engine::{CustomRoutines, Mirror, Policy, Routine};
use lore_vault::git::Risk;

/// Returns what in a policy could do harm.
pub(super) fn policy_risks(policy: &Policy) -> Vec<Risk> {
    let mut found = Vec::new();
    let injected: Vec<&str> = policy.inject.iter().map(|file| file.path.as_str()).collect();
    if !injected.is_empty() {
        found.push(Risk::new("lore.toml: inject", &injected.join(", ")));
    }
    let off: Vec<&str> = policy.secrets.off.iter().map(|rule| rule.get_ref().as_str()).collect();
    if !off.is_empty() {
        found.push(Risk::new("lore.toml: secrets.off", &off.join(", ")));
    }
    // A timer runs them with the person's own agent.
    let routines = policy.routines.iter();
    found.extend(routines.map(|one| Risk::new(format!("lore.toml: routine {}", one.name), &routine(one))));
    if let Some(custom) = &policy.custom_routines {
        found.push(Risk::new("lore.toml: custom_routines", &custom_routines(custom)));
    }
    // A mirror copies pages to a directory that others may read.
    let mirrors = policy.mirrors.iter();
    found.extend(mirrors.map(|(name, one)| Risk::new(format!("lore.toml: mirror {name}"), &mirror(one))));
    found
}

fn routine(one: &Routine) -> String {
    let Routine { name: _, schedule, rulebook, dossier, pages, newest, without, whole, rotate, window } = one;
    let mut parts: Vec<String> = schedule.iter().map(|schedule| format!("at {schedule}")).collect();
    parts.extend(rulebook.iter().map(|path| format!("rulebook {path}")));
    parts.extend(dossier.iter().map(|path| format!("dossier {path}")));
    parts.extend(pages.iter().map(|path| format!("page {path}")));
    parts.extend(newest.iter().map(|(pattern, count)| format!("newest {count} of {pattern}")));
    parts.extend(without.iter().map(|name| format!("without {name}")));
    parts.extend(whole.then(|| "whole".to_owned()));
    parts.extend(rotate.then(|| "rotate".to_owned()));
    parts.push(format!("window {window}"));
    parts.join(", ")
}

fn custom_routines(custom: &CustomRoutines) -> String {
    let CustomRoutines { folder, dossiers, schedule, pages } = custom;
    let pages = pages.iter().map(|path| format!(", page {path}")).collect::<String>();
    format!("{folder} at its property {schedule}, dossiers {dossiers}{pages}")
}

fn mirror(one: &Mirror) -> String {
    let Mirror { pages, rules, opt_out } = one;
    let rules = rules.iter().map(|path| format!(", rules {path}")).collect::<String>();
    let opt_out = opt_out.iter().map(|key| format!(", without {key}")).collect::<String>();
    format!("{}{rules}{opt_out}", pages.as_str())
}
