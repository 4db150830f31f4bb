//! Aliases of an earlier layout: an old path resolves to the current page.

use crate::personal::{DAY, Personal, TODAY};

/// Old paths and their current ones.
const OLD: &[(&str, &str)] = &[
    ("today", "state/today"),
    ("yesterday", "state/yesterday"),
    ("roadmap", "plans/roadmap"),
    ("integrations", "policies/integrations"),
    ("context-index", "_index"),
    ("user/profile", "identity/profile"),
    ("user/health/sleep-log", "identity/health/sleep-log"),
    ("rules/management", "policies/management"),
    ("agent/journal", "journal/agent"),
    ("agent/scratch/2026-05-18-sums", "state/scratch/2026-05-18-sums"),
    ("inbox/2026-05-18-call", "state/inbox/2026-05-18-call"),
    ("daily/2026-05-17", "journal/daily/2026-05-17"),
    ("weekly/2026-W20", "journal/weekly/2026-W20"),
    ("monthly/2026-04", "journal/monthly/2026-04"),
    ("projects/lore", "plans/projects/lore"),
    ("routines/hourly", "policies/routines/hourly"),
    ("routines/custom/water", "policies/routines/custom/water"),
    ("dossiers/morning", "knowledge/dossiers/morning"),
    ("rules/management-captures/quiet", "policies/management-captures/quiet"),
    ("management-captures/calm", "policies/management-captures/calm"),
    ("skills/tea/SKILL", "policies/skills/tea/SKILL"),
    ("entities/work/meetings/kick-off", "knowledge/entities/work/meetings/kick-off"),
    ("repos/lore/overview", "knowledge/repos/lore/overview"),
    ("repos/lore/2026-05-17", "journal/repos/lore/2026-05-17"),
    ("repos/legacy-registry/gone", "knowledge/repos/legacy-registry/gone"),
    ("wiki/main/20_wiki/topic", "knowledge/wiki/main/20_wiki/topic"),
    ("activity/github", "state/activity/github"),
    ("scratch/sums", "state/scratch/sums"),
    ("profile-questions", "state/profile-questions"),
];

/// Returns a valid text for a new path: the current page if there is one, else a minimal page.
fn text(vault: &Personal, new: &str) -> String {
    match new {
        "state/yesterday" => TODAY.replace("# Today", "# Yesterday"),
        "journal/daily/2026-05-17" => DAY.to_owned(),
        "plans/projects/lore" => {
            "---\ntype: project\nslug: lore\nstate: active\nowner: ada\nstart: 2026-05-01\n---\n# Lore\n"
                .to_owned()
        }
        "policies/routines/custom/water" => "---\nschedule: \"0 10 * * *\"\n---\n# Water\n".to_owned(),
        "policies/skills/tea/SKILL" => "---\nname: tea\ndescription: Tea\n---\n# Tea\n".to_owned(),
        _ if new.starts_with("policies/management-captures/") => {
            "---\nstatus: active\n---\n# Quiet\n".to_owned()
        }
        _ => vault.find(&format!("{new}.md")).unwrap_or_else(|| "# New\n".to_owned()),
    }
}

#[test]
fn every_operation_resolves_old_paths() {
    let vault = Personal::new();
    for (old, new) in OLD {
        let file = format!("{new}.md");
        let text = text(&vault, new);
        if *new == "journal/agent" {
            vault.remove(&file);
        }
        let ran = vault.put(old, &format!("{text}\nOver the old path.\n")).exits(0);
        assert_eq!(ran.json()["path"], file, "put {old}");
        assert!(vault.text(&file).contains("Over the old path."), "put {old}");

        let mut edit =
            vec!["edit".to_owned(), format!("{old}.md"), "--append".into(), "With its extension.".into()];
        if *new == "state/today" {
            edit.extend(["--section".into(), "User Tasks".into()]);
        }
        vault.run(&edit.iter().map(String::as_str).collect::<Vec<_>>()).ok();
        assert!(vault.text(&file).contains("With its extension."), "edit {old}.md");

        for reference in [(*old).to_owned(), format!("{old}.md"), format!("memory://{old}")] {
            assert_eq!(vault.run(&["get", &reference]).ok().text(), vault.text(&file), "get {reference}");
        }
        let explained = vault.run(&["doctor", "--path", old, "--format", "human"]).ok().text();
        assert!(explained.starts_with(&format!("ok       {old} is an old name of {new}\n")), "{explained}");
        let rest = explained.split_once('\n').expect("more lines").1;
        assert_eq!(rest, vault.run(&["doctor", "--path", new, "--format", "human"]).ok().text(), "{old}");
    }
    for folder in [
        "user", "rules", "agent", "inbox", "daily", "weekly", "monthly", "projects", "dossiers", "entities",
        "repos",
    ] {
        assert!(vault.names(folder).is_empty(), "{folder} was created");
    }
    vault.run(&["validate", "--all"]).ok();
}

#[test]
fn old_path_has_the_permissions_of_the_new_one() {
    let vault = Personal::new();
    let before = vault.files();
    vault.put("agent/journal", "# Mine\n").exits(4).says("put on journal/agent.md (rule \"agent's journal\"");
    vault.run(&["rm", "user/profile", "--yes"]).exits(4).says("delete on identity/profile.md");
    vault.put("routines/a/b", "# B\n").exits(4).says("create on policies/routines/a/b.md (no rule");
    vault.put("today", "# Not a day\n").exits(4).says("state/today.md");
    assert!(vault.files() == before, "nothing changed");
}

#[test]
fn longest_alias_wins_and_shadows_a_page() {
    let vault = Personal::new();
    vault.write("today.md", "# A page of somebody's own\n");
    assert_eq!(vault.run(&["get", "today"]).ok().text(), vault.text("state/today.md"));
    vault.put("agent/scratch/x", "# X\n").ok();
    assert_eq!(vault.names("state/scratch"), ["x.md"]);
}
