//! A process whose clock is wrong by years: nothing is removed for good, and nothing stops for years.

use crate::git_support::GitVault;
use crate::sandbox::Sandbox;

fn put(sandbox: &Sandbox, now: &str, text: &str) {
    let mut command = sandbox.command(&["call", "put"]);
    command.arg(format!(r#"{{"slug": "page", "content": "{text}"}}"#)).env("LORE_NOW", now);
    assert!(command.output().expect("lore runs").status.success());
}

fn snapshots(sandbox: &Sandbox) -> usize {
    sandbox.run(&["history", "page"]).exits(0).json()["snapshots"].as_array().expect("a list").len()
}

fn retention(sandbox: &Sandbox, now: &str) -> i64 {
    let ran = sandbox.sh(&format!("LORE_NOW={now} lore retention run --json"));
    ran.exits(0).json()["snapshots"].as_i64().expect("a number")
}

#[test]
fn snapshots_survive_a_clock_that_jumps_and_returns() {
    let sandbox = Sandbox::with_vault();
    for day in 1..6 {
        put(&sandbox, &format!("2026-05-{day:02}T12:00:00Z"), &format!("text {day}"));
    }
    let before = snapshots(&sandbox);
    for now in
        ["2030-01-01T00:00:00Z", "1999-01-01T00:00:00Z", "2026-05-06T12:00:00Z", "2031-06-01T00:00:00Z"]
    {
        put(&sandbox, now, now);
        assert_eq!(retention(&sandbox, now), 0, "{now}");
    }
    put(&sandbox, "2026-05-07T12:00:00Z", "the last");
    assert_eq!(snapshots(&sandbox), before + 5);
    // Those that a clock of the past has recorded do not expire at once either.
    assert_eq!(retention(&sandbox, "2026-05-20T12:00:00Z"), 0);
    assert_eq!(snapshots(&sandbox), before + 5);
}

#[test]
fn snapshots_expire_once_the_time_is_confirmed() {
    let sandbox = Sandbox::with_vault();
    put(&sandbox, "2026-05-01T12:00:00Z", "one");
    put(&sandbox, "2026-05-01T12:00:00Z", "two");
    assert_eq!(retention(&sandbox, "2026-08-01T12:00:00Z"), 0, "a jump of three months");
    assert_eq!(retention(&sandbox, "2026-08-02T12:00:00Z"), 0);
    assert!(retention(&sandbox, "2026-08-04T12:00:00Z") > 0, "three days later it is confirmed");
    assert_eq!(snapshots(&sandbox), 0);
}

#[test]
fn fetch_that_a_wrong_clock_recorded_does_not_stop_fetching() {
    let vault = GitVault::with_remote("notes");
    put(&vault.sandbox, "2030-01-01T00:00:00Z", "two");
    vault.lore(&["git", "push"]).ok();
    let theirs = "git clone -q ../remote.git ../theirs && cd ../theirs && echo theirs > theirs.md \
                  && git add -A && git commit -q -m Theirs && git push -q";
    vault.sandbox.sh(theirs).exits(0);
    put(&vault.sandbox, "2026-05-02T12:00:00Z", "three");
    assert_eq!(vault.sandbox.read("theirs.md"), b"theirs\n");
}
