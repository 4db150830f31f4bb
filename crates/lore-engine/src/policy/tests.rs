use super::*;

#[track_caller]
fn policy(text: &str) -> Policy {
    Policy::parse(text).expect("a policy")
}

#[test]
fn nearest_directory_decides_the_type() {
    let policy =
        policy("[types]\npeople = \"person\"\n\"people/teams\" = \"team\"\n\"people/list\" = \"list\"\n");
    for (path, kind) in [
        ("people/ada.md", "person"),
        ("people/friends/bob.md", "person"),
        ("people/teams/core.md", "team"),
        ("people/list.md", "list"),
        ("ada.md", "note"),
        ("peoples/ada.md", "note"),
    ] {
        assert_eq!(policy.type_of(path), kind, "{path}");
    }
}

#[test]
fn errors_name_the_line() {
    for (text, line, what) in [
        ("name = \"x\"\n\ncolour = 1\n", Some(3), "colour"),
        ("[[rule]]\npaths = [\"a\"]\ncolour = 1\n", Some(3), "colour"),
        ("[[rule]]\npaths = [\"../a\"]\n", Some(2), "../a"),
        ("[[rule]]\npaths = [\"a\"]\nallow = [\"write\"]\n", Some(3), "write"),
        ("[[rule]]\npaths = [\"a\"]\n\nschema = \"day\"\n", Some(4), "day"),
        ("[[rule]]\npaths = [\"a\"]\nkeep = \"soon\"\n", Some(3), "soon"),
        ("[[rule]]\nallow = []\n", Some(1), "paths"),
        ("[lint.levels]\nspelling = \"error\"\n", Some(2), "spelling"),
        ("[lint.levels]\nsecret = \"loud\"\n", Some(2), "loud"),
        ("[secrets]\noff = [\"nonsense\"]\n", Some(2), "nonsense"),
        ("[limits]\npage_bytes = -1\n", Some(2), "-1"),
        ("[[generated]]\npath = \"index\"\nmake = \"magic\"\n", Some(3), "magic"),
        ("[rotate]\ntoday = \"a\"\nyesterday = \"b\"\nday_begins = 24\n", Some(4), "24"),
        ("[rotate]\ntoday = \"a\"\nyesterday = \"b\"\ntime_zone = \"Mars\"\n", Some(4), "Mars"),
        ("[[rule]]\npaths = []\n", Some(2), "at least one"),
        ("[compact]\nlargest = 2\n", None, "compact.smallest is 3 and compact.largest 2"),
        ("[compact]\nsimilar = 80\n", None, "80 is not from 0 to 1"),
        ("[capture]\nmeaning = 1.5\n", None, "1.5 is not from 0 to 1"),
        ("[capture]\nmeaning = 0.7\nrelated = 0.8\n", None, "capture.related is 0.8"),
        ("name = \n", Some(1), ""),
    ] {
        let (at, message) = Policy::parse(text).expect_err(text);
        assert_eq!(at, line, "{text}: {message}");
        assert!(message.contains(what), "{text}: {message}");
    }
}

#[test]
fn first_matching_rule_applies() {
    let policy = policy(
        "unmatched = \"read-only\"\n\
         [[rule]]\nname = \"log\"\npaths = [\"journal/agent\"]\nallow = [\"create\", \"append\"]\n\
         [[rule]]\npaths = [\"journal/**\"]\n",
    );
    for (path, verb, expected) in [
        ("journal/agent.md", Verb::Create, Ok(())),
        ("journal/agent.md", Verb::Append, Ok(())),
        ("journal/agent.md", Verb::Put, Err("rule \"log\" allows create, append")),
        ("journal/daily/x.md", Verb::Delete, Ok(())),
        ("other.md", Verb::Create, Err("no rule matches it, so it is read-only")),
    ] {
        let said = policy.allow(path, &[verb]).map_err(|error| error.to_string());
        match expected {
            Ok(()) => assert!(said.is_ok(), "{path}: {said:?}"),
            Err(why) => assert!(said.as_ref().is_err_and(|said| said.contains(why)), "{path}: {said:?}"),
        }
    }
}

#[test]
fn alias_maps_an_old_path_to_its_new_one() {
    let policy = policy("[aliases]\ntoday = \"state/today\"\n\"user/*\" = \"identity/*\"\n");
    for (old, now) in [
        ("today.md", Some("state/today.md")),
        ("today", Some("state/today")),
        ("user/profile", Some("identity/profile")),
        ("user/health/sleep.md", Some("identity/health/sleep.md")),
        ("users/x", None),
        ("state/today", None),
    ] {
        assert_eq!(policy.alias(old).as_deref(), now, "{old}");
    }
}
