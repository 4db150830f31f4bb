//! Skills: which version is active, which are hidden, and how they are written for an agent.

use std::fs;

use serde_json::Value;

use crate::sandbox::Sandbox;

const MINE: &str = "---\nname: lore-capture\ndescription: Use it my way.\n---\n# Mine\n";

fn source(sandbox: &Sandbox, name: &str) -> (String, String) {
    let shown = sandbox.run(&["skills", "show", name, "--json"]).ok().json();
    let field = |name: &str| shown[name].as_str().expect(name).to_owned();
    (field("source"), field("text"))
}

#[test]
fn vault_skill_overrides_user_skill_overrides_built_in() {
    let sandbox = Sandbox::with_vault();
    let (from, text) = source(&sandbox, "capture");
    assert_eq!(from, "built-in");
    let user = sandbox.root.join("home/skills/lore-capture");
    fs::create_dir_all(&user).expect("a folder");
    fs::write(user.join("SKILL.md"), MINE.replace("Mine", "The user's")).expect("a file");
    assert_eq!(source(&sandbox, "lore-capture").0, "user");
    sandbox.write(".lore/skills/lore-capture/SKILL.md", MINE);
    sandbox.write(
        ".lore/skills/house-style/SKILL.md",
        "---\nname: house-style\ndescription: Use always.\n---\n",
    );
    assert_eq!(source(&sandbox, "capture"), ("vault".into(), MINE.into()));
    assert_eq!(
        sandbox.run(&["skills", "show", "capture"]).ok().text(),
        MINE,
        "unchanged if no format is given"
    );

    let found = sandbox.run(&["skills", "doctor"]).ok().json();
    let order: Vec<&str> = found["order"]
        .as_array()
        .expect("folders")
        .iter()
        .filter_map(|folder| folder["source"].as_str())
        .collect();
    assert_eq!(order, ["vault", "user"]);
    let capture = &found["skills"].as_array().expect("skills")[2];
    let versions: Vec<(&str, &str)> = capture["versions"]
        .as_array()
        .expect("versions")
        .iter()
        .map(|one| (one["source"].as_str().expect("a source"), one["state"].as_str().expect("a state")))
        .collect();
    assert_eq!(versions, [("vault", "active"), ("user", "hidden"), ("built-in", "hidden")]);
    assert_eq!(capture["versions"][0]["hash"].as_str().map(str::len), Some(64));
    let names = sandbox.run(&["skills", "list", "--format", "brief"]).ok().text();
    assert_eq!(names.lines().count(), 14, "{names}");
    assert!(names.ends_with("house-style\n") && names.starts_with("lore-agent\n"), "{names}");
    assert_ne!(text, MINE);
}

#[test]
fn doctor_reports_broken_skills() {
    let sandbox = Sandbox::with_vault();
    sandbox.write(".lore/skills/lore-query/SKILL.md", "# No front matter\n");
    let ran = sandbox.run(&["skills", "doctor", "--format", "human"]).exits(5);
    assert!(ran.text().contains("problem: the front matter has no name"), "{}", ran.text());
}

#[test]
fn extract_never_overwrites_an_edited_skill() {
    let sandbox = Sandbox::with_vault();
    let target = sandbox.root.join("agent/skills");
    let dir = target.to_string_lossy().into_owned();
    let done = sandbox.run(&["skills", "extract", "--dir", &dir]).ok().json();
    assert_eq!(done["files"].as_array().map(Vec::len), Some(13));
    let file = target.join("lore-capture/SKILL.md");
    assert_eq!(fs::read_to_string(&file).expect("written"), source(&sandbox, "capture").1);
    fs::write(&file, MINE).expect("a file");
    let state = |ran: &Value| ran["files"][0]["state"].as_str().expect("a state").to_owned();
    let kept = sandbox.run(&["skills", "extract", "capture", "--dir", &dir]).exits(4).json();
    assert_eq!(state(&kept), "kept");
    assert_eq!(fs::read_to_string(&file).expect("kept"), MINE);
    let forced = sandbox.run(&["skills", "extract", "capture", "--dir", &dir, "--force"]).ok().json();
    assert_eq!(state(&forced), "written");
    // In the user's directory it can be edited, and is active.
    assert_eq!(state(&sandbox.run(&["skills", "extract", "capture"]).ok().json()), "written");
    assert_eq!(source(&sandbox, "capture").0, "user");
    let doctor = sandbox.run(&["skills", "doctor"]).ok().json();
    assert_eq!(doctor["skills"][2]["versions"][1]["state"], "hidden, the same");
    sandbox.run(&["skills", "show", "nothing"]).exits(2).says("lore-capture");
}

#[test]
fn skills_work_without_a_vault() {
    let sandbox = Sandbox::empty();
    assert_eq!(source(&sandbox, "agent").0, "built-in");
    assert_eq!(sandbox.run(&["skills", "doctor"]).ok().json()["order"].as_array().map(Vec::len), Some(1));
}

#[test]
fn pages_that_are_skills_by_policy_are_skills() {
    let sandbox = Sandbox::with_vault();
    let page = "---\nname: house-style\ndescription: Use always.\n---\n# Mine\n";
    sandbox.write("lore.toml", "[types]\n\"policies/skills\" = \"skill\"\n\"people\" = \"person\"\n");
    sandbox.write("policies/skills/house-style/SKILL.md", page);
    sandbox.write("people/ada/SKILL.md", page);
    assert_eq!(source(&sandbox, "house-style"), ("vault".into(), page.into()));
    let names = sandbox.run(&["skills", "list", "--format", "brief"]).ok().text();
    assert!(names.ends_with("house-style\n") && !names.contains("ada"), "{names}");
    // `.lore/skills` comes first.
    sandbox.write(".lore/skills/house-style/SKILL.md", page.replace("Mine", "Ours"));
    assert_eq!(source(&sandbox, "house-style").1, page.replace("Mine", "Ours"));
}
