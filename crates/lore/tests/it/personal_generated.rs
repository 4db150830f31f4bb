//! Files that Lore generates in a personal vault: only the text between the markers changes.

use crate::personal::Personal;

const OPEN: &str = "<!-- reconciler-section -->\n";
const CLOSE: &str = "<!-- /reconciler-section -->\n";

/// Returns the text before, inside and after the generated block of a file.
#[track_caller]
fn parts(vault: &Personal, path: &str) -> (String, String, String) {
    let text = vault.text(path);
    let (before, rest) = text.split_once(OPEN).unwrap_or_else(|| panic!("{path} has no block: {text}"));
    let (inside, after) = rest.split_once(CLOSE).unwrap_or_else(|| panic!("{path}: {text}"));
    (before.to_owned(), inside.to_owned(), after.to_owned())
}

#[test]
fn index_lists_new_pages_and_keeps_the_persons_text() {
    let vault = Personal::new();
    let (_, inside, _) = parts(&vault, "_index.md");
    let before = "\u{feff}# My  map \r\n\nTwo  spaces,\ta tab, `code`.\n\n";
    let after = "\n\tAfter the block.\r\n\r\nNo line end";
    vault.write("_index.md", &format!("{before}{OPEN}{inside}{CLOSE}{after}"));
    vault.put("identity/health/sleep-log", "# Sleep log\n\n> How I slept.\n").ok();
    let found = parts(&vault, "_index.md");
    assert_eq!(
        (found.0.as_str(), found.2.as_str()),
        (before, after),
        "bytes outside the block must not change"
    );
    let line = "- `identity/health/sleep-log.md` — Sleep log: How I slept.\n";
    // The block uses the prevailing line ending of the file.
    assert!(found.1.replace("\r\n", "\n").contains(line), "{}", found.1);

    vault.put("state/scratch/sums", "# Sums\n").ok();
    assert!(parts(&vault, "_index.md").1.contains("`state/scratch/sums.md`"));
    vault.run(&["rm", "state/scratch/sums", "--yes"]).ok();
    let found = parts(&vault, "_index.md");
    assert!(!found.1.contains("sums"), "a deleted page is not listed: {}", found.1);
    assert_eq!((found.0.as_str(), found.2.as_str()), (before, after));
}

#[test]
fn index_lists_foreign_pages_at_the_next_write() {
    let vault = Personal::new();
    vault.write("knowledge/wiki/main/page.md", "# Page\n");
    assert_eq!(vault.run(&["lint"]).exits(0).json()["findings"][0]["rule"], "generated-stale");
    vault.put("identity/new", "# New\n").ok();
    assert!(parts(&vault, "_index.md").1.contains("`knowledge/wiki/main/page.md`"));
    vault.remove("knowledge/wiki/main/page.md");
    vault.run(&["generate"]).ok();
    assert!(!parts(&vault, "_index.md").1.contains("wiki/main/page.md"));
    assert_eq!(vault.run(&["lint"]).ok().json()["warnings"], 0);
}

#[test]
fn text_inside_a_block_is_replaced() {
    let vault = Personal::new();
    let good = vault.text("_index.md");
    vault.write("_index.md", &good.replace(OPEN, &format!("{OPEN}\nMy own words.\n")));
    vault.put("identity/profile", &vault.text("identity/profile.md").replace("Name:", "Name: Ada")).ok();
    assert_eq!(vault.text("_index.md"), good);
}

#[test]
fn broken_markers_are_left_alone_and_reported() {
    let vault = Personal::new();
    let good = vault.text("_index.md");
    for broken in [
        good.replace(CLOSE, ""),
        good.replace(OPEN, ""),
        good.replace(OPEN, &format!("{OPEN}{OPEN}")),
        good.replace(CLOSE, "<!-- /reconciler-section --> and more\n"),
        good.replace(OPEN, "X\n").replace(CLOSE, OPEN).replace("X\n", CLOSE),
    ] {
        vault.write("_index.md", &broken);
        vault.run(&["edit", "state/profile-questions", "--append", "- [ ] Another?"]).exits(0);
        assert_eq!(vault.text("_index.md"), broken, "the file is unchanged");
        let found = vault.run(&["lint"]).exits(4).json();
        let errors: Vec<_> = found["findings"].as_array().expect("findings").iter().collect();
        assert_eq!(
            (&errors[0]["rule"], &errors[0]["path"]),
            (&"generated-edited".into(), &"_index.md".into())
        );
        assert_eq!(found["errors"], 1, "{found}");
        vault.run(&["generate"]).exits(0);
        assert_eq!(vault.text("_index.md"), broken, "`lore generate` does not change it either");
    }
    // Without any marker, the block is appended again.
    vault.write("_index.md", "# Mine\n");
    vault.run(&["generate"]).ok();
    assert_eq!(parts(&vault, "_index.md").0, "# Mine\n\n");
}

#[test]
fn every_domain_has_an_index() {
    let vault = Personal::new();
    vault.put("knowledge/entities/work/meetings/kick-off", "# Kick-off\n\n> We began.\n").ok();
    let list = "knowledge/entities/work/_index.md";
    let line = "- `knowledge/entities/work/meetings/kick-off.md` — Kick-off: We began.\n";
    assert_eq!(vault.text(list), format!("# work\n\n{OPEN}### meetings/\n\n{line}{CLOSE}"));
    assert_eq!(vault.names("knowledge/entities"), ["work"], "an empty domain has no list");

    vault.write(list, &format!("# Work\n\nMine.\n\n{OPEN}{CLOSE}\nBelow.\n"));
    vault.put("knowledge/entities/work/notes/tea", "# Tea\n").ok();
    vault.put("knowledge/entities/travel/trips/lisbon", "# Lisbon\n").ok();
    let more = "\n### notes/\n\n- `knowledge/entities/work/notes/tea.md` — Tea\n";
    let work = format!("# Work\n\nMine.\n\n{OPEN}### meetings/\n\n{line}{more}{CLOSE}\nBelow.\n");
    assert_eq!(vault.text(list), work);
    assert!(vault.text("knowledge/entities/travel/_index.md").contains("trips/lisbon.md"));
}

#[test]
fn captured_policies_are_listed_as_active_or_removed() {
    let vault = Personal::new();
    let list = "policies/management-captures/_index.md";
    let tables = || {
        let inside = parts(&vault, list).1;
        let (active, removed) = inside.split_once("## Removed\n").expect("two tables");
        (active.contains("| `quiet-mornings` | Quiet Mornings |"), removed.contains("| `quiet-mornings` |"))
    };
    assert_eq!(parts(&vault, list).1, "## Active\n\nNone.\n\n## Removed\n\nNone.\n");
    vault.run(&["put", "policies/management-captures/quiet-mornings", "--template"]).ok();
    assert_eq!(tables(), (true, false));
    vault.run(&["edit", "policies/management-captures/quiet-mornings", "--set", "status=removed"]).ok();
    assert_eq!(tables(), (false, true));
    vault.write(list, &vault.text(list).replace("## Active", "## Mine"));
    vault.run(&["edit", "policies/management-captures/quiet-mornings", "--set", "status=active"]).ok();
    assert_eq!(tables(), (true, false), "an edit of the tables is overwritten");
    assert!(!vault.text(list).contains("## Mine"));
}

#[test]
fn policy_registry_does_not_depend_on_mtimes() {
    let vault = Personal::new();
    vault.run(&["put", "policies/management-captures/quiet-mornings", "--template"]).ok();
    // A copy of the vault, such as a clone, has other mtimes.
    vault.set_mtime("policies/management-captures/quiet-mornings.md", "2020-01-01T00:00:00Z");
    assert_eq!(vault.run(&["lint"]).ok().json()["warnings"], 0, "nothing is stale after a copy");
}

#[test]
fn redaction_page_lists_the_active_rules() {
    let vault = Personal::new();
    let (before, inside, _) = parts(&vault, "policies/redaction.md");
    assert!(before.starts_with("# Redaction\n"));
    for rule in ["private-key", "aws-access-key-id", "github-token", "anthropic-key", "jwt", "url-password"] {
        assert!(inside.contains(&format!("\n| {rule} | ")), "{rule} is missing: {inside}");
    }
    let rows = inside.lines().filter(|line| line.starts_with("| ")).count() - 1;
    assert!(rows >= 40, "only {rows} rules");
    // What the page lists is what is refused.
    let key = ["AKIA", "QYLPMN5HHHFPZAM2"].concat();
    let before = vault.files();
    vault.put("identity/work", &format!("# Work\n\nkey {key}\n")).exits(4).says("[aws-access-key-id]");
    assert!(vault.files() == before);
}
