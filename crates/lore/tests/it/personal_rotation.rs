//! Rotation of the daily page in a personal vault: when it happens, and what becomes of the pages and the inbox.

use serde_json::json;

use crate::personal::{Personal, TODAY};

/// Returns a daily page with some content.
fn busy_day() -> String {
    TODAY
        .replace("## Agent Log\n", "## Agent Log\n\n- 09:00 looked at the mail\n")
        .replace("## Handoff\n", "## Handoff\n\n- call Grace\n- [ ] post the letter\n")
}

/// Rotates at a time; returns whether the page was rotated and the current day.
#[track_caller]
fn rotate(vault: &mut Personal, now: &str) -> (bool, String) {
    let turn = vault.at(now).run(&["rotate"]).ok().json();
    assert_eq!(turn.get("warnings"), None, "{now}: {turn}");
    (turn["turned"].as_bool().expect("yes or no"), turn["day"].as_str().expect("a day").to_owned())
}

#[test]
fn rotation_happens_at_four_and_carries_open_items() {
    let mut vault = Personal::new();
    vault.put("state/today", &busy_day()).ok();
    let before = vault.files();
    for early in ["2026-05-18T23:59:59Z", "2026-05-19T00:00:00Z", "2026-05-19T03:59:59Z"] {
        assert_eq!(rotate(&mut vault, early), (false, "2026-05-18".into()), "{early}");
    }
    assert!(vault.files() == before, "nothing changes before four");

    assert_eq!(rotate(&mut vault, "2026-05-19T04:00:00Z"), (true, "2026-05-19".into()));
    assert_eq!(vault.text("state/yesterday.md"), busy_day().replace("# Today", "# Yesterday"));
    let carried = "## Agent Plan\n\nCarried over from 2026-05-18:\n\n- call Grace\n- [ ] post the letter\n";
    let fresh = TODAY.replace("2026-05-18", "2026-05-19").replace("## Agent Plan\n", carried);
    assert_eq!(vault.text("state/today.md"), fresh);

    let after = vault.files();
    for later in ["2026-05-19T04:00:00Z", "2026-05-19T23:00:00Z", "2026-05-20T03:59:59Z"] {
        assert_eq!(rotate(&mut vault, later), (false, "2026-05-19".into()), "{later}");
    }
    assert!(vault.files() == after, "a second rotation does nothing");
    vault.run(&["lint"]).ok();
}

#[test]
fn only_one_yesterday_is_kept() {
    let mut vault = Personal::new();
    vault.put("state/today", &busy_day()).ok();
    rotate(&mut vault, "2026-05-19T05:00:00Z");
    vault.run(&["edit", "state/today", "--section", "Handoff", "--with", "- the second day"]).ok();
    rotate(&mut vault, "2026-05-20T05:00:00Z");
    let yesterday = vault.text("state/yesterday.md");
    assert!(
        yesterday.contains("date: 2026-05-19\n") && yesterday.contains("- the second day\n"),
        "{yesterday}"
    );
    assert!(!yesterday.contains("looked at the mail"), "the first day is gone: {yesterday}");
    assert_eq!(vault.names("state"), ["profile-questions.md", "today.md", "yesterday.md"]);
    let today = vault.text("state/today.md");
    assert!(today.contains("Carried over from 2026-05-19:\n\n- the second day\n"), "{today}");

    // After a week without use, yesterday is the last day that was used.
    assert_eq!(rotate(&mut vault, "2026-05-27T05:00:00Z"), (true, "2026-05-27".into()));
    assert!(vault.text("state/yesterday.md").contains("date: 2026-05-20\n"));
    // A day without open items carries nothing over.
    assert_eq!(vault.text("state/today.md"), TODAY.replace("2026-05-18", "2026-05-27"));
}

#[test]
fn missing_daily_page_is_created_and_a_future_one_kept() {
    let mut vault = Personal::new();
    vault.remove("state/today.md");
    assert_eq!(rotate(&mut vault, "2026-05-18T12:00:00Z"), (true, "2026-05-18".into()));
    assert_eq!(vault.text("state/today.md"), TODAY);
    assert_eq!(vault.find("state/yesterday.md"), None);

    let turn = vault.at("2026-05-10T12:00:00Z").run(&["rotate"]).exits(0).json();
    assert_eq!(turn["turned"], json!(false), "the clock went backwards: {turn}");
    assert!(
        turn["warnings"][0].as_str().is_some_and(|warning| warning.contains("after 2026-05-10")),
        "{turn}"
    );
    assert_eq!(vault.text("state/today.md"), TODAY);
}

#[test]
fn day_that_a_wrong_clock_started_does_not_stop_the_rotation() {
    let mut vault = Personal::new();
    assert_eq!(rotate(&mut vault, "2026-05-22T12:00:00Z"), (true, "2026-05-22".into()));
    assert_eq!(rotate(&mut vault, "2030-01-01T12:00:00Z"), (true, "2030-01-01".into()));
    let turn = vault.at("2026-05-23T12:00:00Z").run(&["rotate"]).exits(0).json();
    assert_eq!((&turn["turned"], &turn["day"]), (&json!(true), &json!("2026-05-23")), "{turn}");
    assert_eq!(rotate(&mut vault, "2026-05-24T12:00:00Z"), (true, "2026-05-24".into()));
}

#[test]
fn vault_created_at_night_starts_with_the_previous_day() {
    let mut vault = Personal::created("2026-05-18T02:00:00Z", "UTC");
    assert!(vault.text("state/today.md").contains("date: 2026-05-17\n"), "{}", vault.text("state/today.md"));
    assert_eq!(rotate(&mut vault, "2026-05-18T02:01:00Z"), (false, "2026-05-17".into()));
    assert_eq!(rotate(&mut vault, "2026-05-18T04:00:00Z"), (true, "2026-05-18".into()));
}

#[test]
fn rotation_moves_only_what_is_marked_as_sorted() {
    let mut vault = Personal::new();
    let marked = |number: usize| format!("---\ntriaged: 2026-05-18\n---\nno form at all {number}\r\n\r\n");
    let files = [
        ("state/inbox/2026-05-17-Milk and bread.md", "state/scratch/inbox-2026-05-17-milk-and-bread.md"),
        ("state/inbox/Idea.md", "state/scratch/inbox-2026-05-19-idea.md"),
        ("state/inbox/idea!.md", "state/scratch/inbox-2026-05-19-idea-2.md"),
    ];
    for (number, (from, _)) in files.iter().enumerate() {
        vault.write(from, &marked(number));
        vault.set_mtime(from, &format!("2020-01-0{}T00:00:00Z", number + 1));
    }
    vault.write("state/inbox/unread.md", "Nobody has looked at it.\n");
    vault.write("state/inbox/not-yet.md", "---\ntriaged: false\n---\nNot yet.\n");
    vault.write("state/inbox/mail.eml", "Subject: hello\n");
    vault.at("2026-05-19T03:00:00Z").run(&["rotate"]).ok();
    assert_eq!(vault.names("state/inbox").len(), 6, "they stay until the rotation");
    let turn = vault.at("2026-05-19T04:00:00Z").run(&["rotate"]).ok().json();
    let expected: Vec<_> = files.iter().map(|(from, to)| json!({ "from": from, "to": to })).collect();
    assert_eq!((&turn["cleared"], &turn["unread"]), (&json!(expected), &json!(3)));
    assert_eq!(vault.names("state/inbox"), ["mail.eml", "not-yet.md", "unread.md"]);
    for (number, (_, to)) in files.iter().enumerate() {
        assert_eq!(vault.text(to), marked(number), "{to}");
    }
    // Their two days in scratch begin now.
    assert_eq!(vault.run(&["retention", "run"]).ok().json()["expired"], json!([]));
    vault.run(&["validate", "--all"]).ok();
}

/// Asserts that rotation does nothing one second before the time, and rotates at the time.
#[track_caller]
fn check_rotation(vault: &mut Personal, before: &str, turn: &str, day: &str) {
    let (early, still) = rotate(vault, before);
    assert!(!early && still != day, "{before} is {still} already");
    assert_eq!(rotate(vault, turn), (true, day.into()), "{turn}");
    assert!(vault.text("state/today.md").contains(&format!("date: {day}\n")));
}

/// The nights around both clock changes in Berlin: one second before four local time, and four.
const BERLIN: [(&str, &str, &str); 6] = [
    ("2026-03-28T02:59:59Z", "2026-03-28T03:00:00Z", "2026-03-28"),
    ("2026-03-29T01:59:59Z", "2026-03-29T02:00:00Z", "2026-03-29"),
    ("2026-03-30T01:59:59Z", "2026-03-30T02:00:00Z", "2026-03-30"),
    ("2026-10-24T01:59:59Z", "2026-10-24T02:00:00Z", "2026-10-24"),
    ("2026-10-25T02:59:59Z", "2026-10-25T03:00:00Z", "2026-10-25"),
    ("2026-10-26T02:59:59Z", "2026-10-26T03:00:00Z", "2026-10-26"),
];

#[test]
fn rotation_follows_local_time() {
    let mut vault = Personal::created("2026-03-27T12:00:00Z", "Europe/Berlin");
    for (before, turn, day) in BERLIN {
        // Rotates to the day before; months lie between the two clock changes.
        rotate(&mut vault, &format!("{}T12:00:00Z", yesterday(day)));
        check_rotation(&mut vault, before, turn, day);
    }
}

#[test]
fn page_without_a_date_is_of_the_day_it_was_changed() {
    let mut vault = Personal::new();
    let plain = vault.text("state/today.md").replace("date: 2026-05-18\n", "");
    assert!(!plain.contains("date:"), "{plain}");
    vault.put("state/today", &plain).exits(4).says("the property `date` is missing");
    vault.write("state/today.md", &format!("{plain}\nMine.\n"));
    vault.set_mtime("state/today.md", "2026-05-19T03:30:00Z");
    let kept = vault.text("state/today.md");
    // At half past three it is still the day before, and the page is that day's.
    let before = vault.at("2026-05-19T03:59:00Z").run(&["rotate"]).ok().json();
    assert_eq!(before["turned"], false, "{before}");
    assert!(before["warnings"].to_string().contains("lore lint --fix"), "{before}");
    assert_eq!(vault.text("state/today.md"), kept);
    let after = vault.at("2026-05-19T04:00:00Z").run(&["rotate"]).ok().json();
    assert_eq!(after["turned"], true, "{after}");
    let yesterday = vault.text("state/yesterday.md");
    assert!(yesterday.contains("date: 2026-05-18") && yesterday.contains("Mine."), "{yesterday}");
    vault.run(&["lint"]).ok();
}

#[test]
fn time_zone_of_the_policy_overrides_the_system() {
    for system in ["UTC", "America/New_York", "Pacific/Auckland"] {
        let mut vault = Personal::created("2026-03-27T06:00:00Z", system);
        vault.policy("# time_zone = \"Europe/Berlin\"", "time_zone = \"Europe/Berlin\"");
        for (before, turn, day) in &BERLIN[..2] {
            rotate(&mut vault, &format!("{}T12:00:00Z", yesterday(day)));
            check_rotation(&mut vault, before, turn, day);
        }
    }
}

#[test]
fn start_of_the_day_comes_from_the_policy() {
    let mut vault = Personal::new();
    vault.policy("day_begins = 4", "day_begins = 6");
    check_rotation(&mut vault, "2026-05-19T05:59:59Z", "2026-05-19T06:00:00Z", "2026-05-19");
}

#[test]
#[cfg(target_os = "linux")]
fn timer_uses_hour_and_time_zone_of_the_policy() {
    let vault = Personal::new();
    vault.policy("day_begins = 4", "day_begins = 6");
    vault.policy("# time_zone = \"Europe/Berlin\"", "time_zone = \"Asia/Tokyo\"");
    let files = vault.run(&["service", "install", "--dry-run"]).ok().text();
    assert!(files.contains("OnCalendar=*-*-* 06:00:00 Asia/Tokyo\\n"), "{files}");
}

fn yesterday(day: &str) -> String {
    let day: jiff::civil::Date = day.parse().expect("a day");
    day.yesterday().expect("a day before").to_string()
}
