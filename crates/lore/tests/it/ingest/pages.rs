//! Changes of a source to other pages: added lines, texts written or skipped.

use serde_json::{Value, json};

use super::{ADA, brain, evidence, imports, ingest, text, version};
use crate::sandbox::{Ran, Sandbox};

#[test]
fn pages_links_facts_entries_and_tags_are_one_change() {
    let sandbox = brain();
    let id = sandbox.run(&["gap", "add", "where does she live?"]).ok().json()["id"].clone();
    let payload = json!({
        "content": "Ada: I moved to Porto, and we pivot.\n", "source_type": "meeting", "source_ref": "meeting/12",
        "fills": [id],
        "pages": [
            evidence(1),
            { "slug": "decisions/pivot", "expected_version": 0, "content": "# Pivot\n\nFrom anvils to bells.\n",
              "links": [{ "to": "people/ada-lovelace", "relationship": "decided_by", "context": "in the sync" }] },
            { "slug": "Acme", "expected_version": 1, "timeline_entries": [{ "date": "2026-02-03", "summary": "Pivots", "source": "press" }] },
        ],
    });
    let taken = ingest(&sandbox, &payload).ok().json();
    let of =
        |page: &Value| format!("{} {} {}", page["slug"], page["outcome"], page["derived"]).replace('"', "");
    let outcomes: Vec<String> = taken["pages"].as_array().expect("pages").iter().map(of).collect();
    assert_eq!(
        outcomes,
        [
            "people/ada-lovelace updated none",
            "decisions/pivot created written",
            "companies/acme updated none"
        ]
    );
    let ada = text(&sandbox, "people/ada-lovelace.md");
    for line in [
        "- lives_in:: Porto {2026..} (source: meeting/12; by: agent; confidence: 0.9; \"I moved to Porto\")",
        "- runs [[companies/acme]] {2018-01..}",
        "- **2026-02-03** | meeting/12 — Agreed to the pivot",
        "  in writing",
        "- **2024-01-02** | meeting/1 — Met her at the works",
        "tags: [coast]",
    ] {
        assert!(ada.lines().any(|found| found == line), "{line:?} is not in {ada}");
    }
    assert!(text(&sandbox, "companies/acme.md").contains("- **2026-02-03** | press — Pivots"));
    assert!(
        text(&sandbox, "decisions/pivot.md").contains("- decided_by [[people/ada-lovelace]] (in the sync)")
    );
    assert_eq!(taken["filled"], json!([id]));
    let gap = &sandbox.run(&["gaps", "--resolved"]).ok().json()["gaps"][0];
    assert_eq!(gap["resolved_by_slug"], "people/ada-lovelace");
    assert_eq!(
        ingest(&sandbox, &payload).ok().json()["outcome"],
        "already",
        "outdated versions do not matter here"
    );
    sandbox.validate();
}

#[test]
fn same_source_twice_adds_each_line_once() {
    let sandbox = brain();
    let payload = |version: u64| json!({ "content": "We pivot.\n", "source_ref": "meeting/12", "force": true, "pages": [evidence(version)] });
    ingest(&sandbox, &payload(1)).ok();
    let once = text(&sandbox, "people/ada-lovelace.md");
    let again = ingest(&sandbox, &payload(2)).ok().json();
    assert_eq!(again["pages"][0]["outcome"], "unchanged");
    assert_eq!(
        (text(&sandbox, "people/ada-lovelace.md"), version(&sandbox, "people/ada-lovelace")),
        (once, json!(2))
    );
    let other = json!({ "source_ref": "meeting/12", "pages": [evidence(2)] });
    assert_eq!(ingest(&sandbox, &other).ok().json()["outcome"], "unchanged", "also without the source");
    assert_eq!(imports(&sandbox), json!(1));
}

/// A rewrite may be skipped as a duplicate; its evidence never is.
#[test]
fn evidence_is_written_even_if_the_text_is_a_duplicate() {
    let entry = "## Timeline\n- **2026-02-01** | call — Rang twice\n";
    let contents = [ADA.to_owned(), ADA.replace("for good", "forever"), ADA.replace("Runs the", "RUNS  THE")];
    for content in contents.map(|content| content.replace("## Timeline\n", entry)) {
        let sandbox = brain();
        let mut page = evidence(1);
        page["content"] = json!(content);
        let taken =
            ingest(&sandbox, &json!({ "content": "s\n", "source_ref": "m/1", "pages": [page] })).ok().json();
        let report = &taken["pages"][0];
        assert_eq!(
            (&report["derived"], &report["novelty"]["verdict"], &report["outcome"]),
            (&json!("skipped"), &json!("duplicate"), &json!("updated")),
            "{taken}"
        );
        assert!(
            taken["warnings"][0].as_str().expect("a warning").contains("only its evidence was added"),
            "{taken}"
        );
        let ada = text(&sandbox, "people/ada-lovelace.md");
        let added =
            ["lives_in:: Porto", "runs [[companies/acme]]", "Agreed to the pivot", "Rang twice", "coast"];
        for part in added.iter().chain(&["Runs the anvil works at", "left for good.", "Met her at the works"])
        {
            assert!(ada.contains(part), "{part:?} is not in {ada}");
        }
        assert_eq!(ada.matches("is_ceo_of").count(), 1, "{ada}");
    }
}

#[test]
fn rewrite_must_be_novel_or_forced_and_keeps_entries() {
    let sandbox = brain();
    let rewrite = |version: u64, content: &str, force: bool| {
        let page = json!({ "slug": "people/ada-lovelace", "expected_version": version, "content": content });
        ingest(&sandbox, &json!({ "source_ref": "m/1", "force": force, "pages": [page] })).ok().json()
    };
    let alike = ADA.replace("for good", "forever");
    assert_eq!(rewrite(1, &alike, false)["outcome"], "unchanged");
    assert_eq!(text(&sandbox, "people/ada-lovelace.md"), ADA);
    let forced = rewrite(1, &alike, true);
    assert_eq!(forced["pages"][0]["derived"], "written");
    assert!(
        forced["warnings"][0].as_str().expect("a warning").contains("rewritten because of force"),
        "{forced}"
    );
    assert_eq!(text(&sandbox, "people/ada-lovelace.md"), alike);
    let new = rewrite(
        2,
        "# Ada Lovelace\n\n> Keeps bees.\n\nSold everything in spring; keeps bees on an island.\n",
        false,
    );
    assert_eq!(
        (&new["pages"][0]["derived"], &new["pages"][0]["novelty"]["verdict"]),
        (&json!("written"), &json!("novel"))
    );
    let ada = text(&sandbox, "people/ada-lovelace.md");
    assert!(ada.contains("keeps bees on an island") && ada.contains("— Met her at the works"), "{ada}");
}

#[test]
fn near_duplicate_is_skipped_only_with_a_model() {
    let words = "The crane at the harbour unloads cargo from ships along the quay each morning before dawn while \
                 sailors sleep below deck and gulls circle above empty nets waiting for fish and bread";
    let page = format!("# Harbour\n\n{words}\n");
    // A comma makes another token and leaves the embedding unchanged.
    let new = ["cargo", "ships", "dawn", "deck", "nets"]
        .iter()
        .fold(page.clone(), |text, word| text.replace(word, &format!("{word},")));
    for (model, verdict, derived) in
        [("wordllama-256", "near_duplicate", "skipped"), ("none", "novel", "written")]
    {
        let sandbox = Sandbox::empty();
        sandbox.write("harbour.md", &page);
        let run = |arguments: &[&str]| {
            Ran::from(sandbox.command(arguments).env("LORE_MODEL", model).output().expect("it runs"))
        };
        run(&["init", "--no-git"]).ok();
        let entry = json!({ "date": "2026-02-03", "summary": "A new crane" });
        let input =
            json!({ "slug": "harbour", "expected_version": 1, "content": new, "timeline_entries": [entry] });
        let payload = json!({ "source_ref": "m/1", "pages": [input] }).to_string();
        let taken = run(&["call", "ingest", &payload]).ok().json();
        let report = &taken["pages"][0];
        assert_eq!(
            (&report["novelty"]["verdict"], &report["derived"]),
            (&json!(verdict), &json!(derived)),
            "{taken}"
        );
        assert!(
            text(&sandbox, "harbour.md").contains("A new crane"),
            "the evidence is written with model {model}"
        );
    }
}

#[test]
fn invalid_payload_is_refused_naming_the_field() {
    let sandbox = brain();
    let page = |more: Value| {
        let mut page = json!({ "slug": "companies/acme", "expected_version": 1 });
        page.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        json!({ "pages": [page] })
    };
    for (payload, says) in [
        (json!({}), "nothing to ingest"),
        (json!({ "content": " \n" }), "nothing to ingest"),
        (json!({ "page": [] }), "has no parameter \"page\""),
        (json!({ "content": "x", "source_type": "rumour" }), "rumour"),
        (json!({ "pages": [{ "slug": "companies/acme" }] }), "expected_version"),
        (page(json!({ "timelines": [] })), "timelines"),
        (page(json!({ "assertions": [{ "subject": "x", "predicate": "y" }] })), "object"),
        (
            page(
                json!({ "assertions": [{ "subject": "x", "predicate": "y", "object": "z", "asserted_by": "me" }] }),
            ),
            "agent, manual, import, enrichment",
        ),
        (
            page(
                json!({ "assertions": [{ "subject": "x", "predicate": "y", "object": "z", "confidence": 2 }] }),
            ),
            "between 0 and 1",
        ),
        (
            page(
                json!({ "assertions": [{ "subject": "x", "predicate": "y", "object": "z", "valid_from": "then" }] }),
            ),
            "is not a date",
        ),
        (json!({ "pages": [{ "slug": "new/page", "expected_version": 0 }] }), "a new page needs content"),
        (json!({ "pages": [evidence(1), evidence(1)] }), "is changed twice"),
        (
            json!({ "pages": [{ "slug": "../out", "expected_version": 0, "content": "x" }] }),
            "not a page path",
        ),
    ] {
        let ran = ingest(&sandbox, &payload);
        assert!(ran.code == 2 || ran.code == 4, "{payload}: {ran:?}");
        ran.says(says);
    }
    sandbox.pipe(&["ingest", "--json-payload", "-"], b"not json").exits(2).says("the payload is not JSON");
    sandbox.run(&["ingest", "no-such-file"]).exits(2).says("no-such-file");
    sandbox.run(&["ingest"]).exits(2).says("nothing to ingest");
    sandbox
        .pipe(
            &["ingest", "--json-payload", "-"],
            json!({ "fills": [7], "pages": [evidence(1)] }).to_string().as_bytes(),
        )
        .exits(1)
        .says("no gap with id 7");
    assert_eq!(imports(&sandbox), json!(0));
}

#[test]
fn facts_name_other_subjects_and_end_dates_close_open_facts() {
    let sandbox = brain();
    let payload = json!({ "source_ref": "m/1", "pages": [{
        "slug": "people/ada-lovelace", "expected_version": 1,
        "assertions": [
            { "subject": "ADA", "predicate": "is_ceo_of", "object": "Acme", "valid_until": "2026-02" },
            { "subject": "Bob", "predicate": "is_ceo_of", "object": "Acme", "valid_from": "2026-02", "asserted_by": "manual" },
        ],
    }] });
    ingest(&sandbox, &payload).ok();
    let ada = text(&sandbox, "people/ada-lovelace.md");
    assert!(ada.contains("- is_ceo_of:: Acme {2018..2026-02} (by: agent)"), "{ada}");
    assert!(ada.contains("- Bob | is_ceo_of:: Acme {2026-02..} (source: m/1; by: manual)"), "{ada}");
}
