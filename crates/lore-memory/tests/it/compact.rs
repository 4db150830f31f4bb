//! Compaction through the engine: how pages are clustered, and the transaction that replaces them.

use std::collections::BTreeMap;
use std::sync::Arc;

use expect_test::{Expect, expect};
use lore_engine::Error;
use lore_memory::{
    Attempt, CompactPlan, CompactRequest, Compacted, Connection, Extractive, GivenSummary, Measure,
    Summarizer, SummarySource, apply_summaries, compact, plan_compaction,
};
use lore_ports::{EmbedError, EmbedResult, Embedder, ModelIdentity, Models, TextModelError, no_progress};
use lore_text::{ContentHash, estimate_tokens};

use super::fixture::{World, problems};

/// Pages superseded by a newer one, and a page that links to them in every syntax.
const OLD: &str = "\
-- clients/one.md --
---
title: Pricing in January
tags: [pricing, client]
---
# Pricing in January

We offered sprints at a fixed price because the client asked for them.

- related [[clients/two]]
- owner:: Ada {2023..}
-- clients/two.md --
---
title: Pricing in March # the second
tags: [client, pricing, old]
status: stale
---
They rejected sprints since quarterly planning comes first.

- related [[three]]
-- clients/three.md --
---
title: Pricing in May
tags: [pricing, client]
---
Decided to offer a retainer instead of sprints.
-- clients/now.md --
---
title: Pricing now
---
- supersedes [[clients/one]]
- supersedes [[clients/two]]
- supersedes [[clients/three]]

See [[clients/one#Pricing|the start]] and [the end](three.md#x), [[three]] and [[Pricing in March]].
-- far/notes.md --
---
related: [\"[[clients/two]]\", \"[[now]]\"]
---
- rests_on [[clients/two]] (since May) {2024-01-01..}
- ![[three|shown]]
Unlike [one](../clients/one.md) and `[[clients/one]]`.
";

fn extractive() -> Extractive {
    Extractive { today: "2024-06-01".into(), tokens: 300 }
}

fn planned(world: &World) -> CompactPlan {
    plan_compaction(&world.context, &CompactRequest::default(), &no_progress).unwrap()
}

/// Formats the clusters by their slugs and what connects them.
fn shown(plan: &CompactPlan) -> Vec<String> {
    let slugs = |cluster: &lore_memory::Cluster| -> Vec<String> {
        cluster.members.iter().map(|member| member.page.slug.clone()).collect()
    };
    plan.clusters
        .iter()
        .map(|cluster| format!("{:?}: {}", cluster.connection, slugs(cluster).join(" ")))
        .collect()
}

#[track_caller]
fn done(attempts: Vec<Attempt>) -> Vec<Compacted> {
    attempts.into_iter().map(|attempt| attempt.result.unwrap()).collect()
}

#[track_caller]
fn check(text: &str, expected: Expect) {
    expected.assert_eq(text);
}

fn texts(world: &World) -> BTreeMap<String, String> {
    world.pages().into_iter().map(|page| (page.path.clone(), world.text(&page.path))).collect()
}

#[test]
fn stale_pages_are_clustered_by_links() {
    let world = World::synced(OLD);
    let plan = planned(&world);
    assert_eq!(shown(&plan), ["Links: clients/one clients/three clients/two"]);
    assert_eq!((plan.stale, plan.found, &plan.measure), (3, 1, &Measure::Words));
    let cluster = &plan.clusters[0];
    let ties: Vec<String> = cluster
        .ties
        .iter()
        .map(|tie| format!("{} {} {}", tie.one, tie.relation.as_deref().unwrap_or("?"), tie.other))
        .collect();
    assert_eq!(ties, ["clients/one related clients/two", "clients/two related clients/three"]);
    assert_eq!(cluster.members[0].state.reason(), "superseded by clients/now");
    let inbound: Vec<String> = cluster
        .inbound
        .iter()
        .map(|link| format!("{}:{} {} {}", link.path, link.line, link.relation, link.target))
        .collect();
    check(
        &inbound.join("\n"),
        expect![[r#"
        clients/now.md:8 links_to clients/one
        clients/now.md:8 links_to clients/three.md
        clients/now.md:8 links_to three
        clients/now.md:8 links_to Pricing in March
        far/notes.md:2 related clients/two
        far/notes.md:4 rests_on clients/two
        far/notes.md:5 links_to three
        far/notes.md:6 links_to clients/one.md"#]],
    );
    assert_eq!(planned(&world).clusters[0].id, cluster.id, "the id depends only on the pages");
    let elsewhere = World::synced(OLD);
    assert_eq!(planned(&elsewhere).clusters[0].id, cluster.id, "the id is the same on every machine");
}

#[test]
fn clusters_become_one_page_and_the_sources_stay() {
    let world = World::synced(OLD);
    let before = texts(&world);
    let written = done(compact(&world.context, &planned(&world), &extractive(), &no_progress).unwrap());
    let [one] = written.as_slice() else { panic!("{written:?}") };
    assert_eq!((one.slug.as_str(), one.title.as_str()), ("clients/pricing-summary", "Pricing (summary)"));
    check(
        &world.text(&one.path),
        expect![[r#"
        ---
        title: Pricing (summary)
        status: active
        source_type: compaction
        compacted_from: [clients/one, clients/three, clients/two]
        summarized_by: extractive
        created: 2024-06-01
        tags: [pricing, client]
        ---
        # Pricing (summary)

        We offered sprints at a fixed price because the client asked for them. ([[clients/one|Pricing in January]])

        Decided to offer a retainer instead of sprints. ([[clients/three|Pricing in May]])

        They rejected sprints since quarterly planning comes first. ([[clients/two|Pricing in March]])

        ## Facts

        - Pricing in January | owner:: Ada {2023..}

        ## Sources

        - [[clients/one|Pricing in January]] (2024-04-30)
        - [[clients/three|Pricing in May]] (2024-04-30)
        - [[clients/two|Pricing in March]] (2024-04-30)
    "#]],
    );
    assert_eq!(one.text, world.text(&one.path), "the reported text is the file's text");
    check(
        &world.text("clients/now.md"),
        expect![[r#"
        ---
        title: Pricing now
        ---
        - supersedes [[clients/one]]
        - supersedes [[clients/two]]
        - supersedes [[clients/three]]

        See [[clients/pricing-summary|the start]] and [the end](pricing-summary.md), [[pricing-summary]] and [[pricing-summary]].
    "#]],
    );
    check(
        &world.text("far/notes.md"),
        expect![[r#"
        ---
        related: ["[[clients/pricing-summary]]", "[[now]]"]
        ---
        - rests_on [[clients/pricing-summary]] (since May) {2024-01-01..}
        - ![[pricing-summary|shown]]
        Unlike [one](../clients/pricing-summary.md) and `[[clients/one]]`.
    "#]],
    );
    // Every old page has exactly its two new lines.
    for slug in ["clients/one", "clients/two", "clients/three"] {
        let path = format!("{slug}.md");
        let text = world.text(&path);
        assert!(text.contains("\nstatus: compacted\n"), "{text}");
        assert!(text.contains(&format!("\ncompacted_into: {}\n", one.slug)), "{text}");
        let properties = ["status: ", "compacted_into: "];
        let bare = |text: &str| -> Vec<String> {
            let kept =
                text.lines().filter(|line| !properties.iter().any(|property| line.starts_with(property)));
            kept.map(str::to_owned).collect()
        };
        assert_eq!(bare(&text), bare(&before[&path]), "{path}");
    }
    assert_eq!(shown(&planned(&world)), [""; 0], "pages are not compacted twice");
    assert_eq!(problems(&world.context), [""; 0]);
    world.check_consistency();
}

/// Returns the same summary for every cluster and counts the calls.
struct FixedSummarizer(Result<&'static str, &'static str>, std::cell::Cell<usize>);

impl Summarizer for FixedSummarizer {
    fn name(&self) -> String {
        "says".into()
    }

    fn summarize(&self, _: &[SummarySource]) -> Result<String, TextModelError> {
        self.1.set(self.1.get() + 1);
        self.0
            .map(str::to_owned)
            .map_err(|reason| TextModelError { place: "says".into(), reason: reason.into() })
    }
}

/// `count` rows of three linked pages, each superseded.
fn rows(count: usize) -> String {
    let mut files = String::new();
    for row in 0..count {
        for page in ["a", "b", "c"] {
            let link = if page == "c" { String::new() } else { format!("- related [[r{row}/c]]\n") };
            files.push_str(&format!(
                "-- r{row}/{page}.md --\n---\nstatus: stale\n---\nText {row} {page}.\n{link}"
            ));
        }
    }
    files
}

#[test]
fn failing_summarizers_are_abandoned_after_three_attempts() {
    let world = World::synced(&rows(5));
    let before = texts(&world);
    let summarizer = FixedSummarizer(Err("no words"), Default::default());
    let attempts = compact(&world.context, &planned(&world), &summarizer, &no_progress).unwrap();
    assert_eq!((attempts.len(), summarizer.1.get()), (3, 3), "it stops after three attempts");
    for attempt in &attempts {
        let error = attempt.result.as_ref().unwrap_err();
        assert_eq!(error.code().name(), "model");
        assert_eq!(error.to_string(), "the summarizer says failed: no words");
    }
    assert_eq!(texts(&world), before);
}

#[test]
fn failures_do_not_affect_other_clusters() {
    let world = World::synced(&rows(3));
    let plan = planned(&world);
    // Someone edits a page of the second cluster while the summaries are generated.
    world.file("r1/b.md", "---\nstatus: stale\n---\nOther words.\n");
    let summarizer = FixedSummarizer(Ok("# Sum\n\nOf it all.\n"), Default::default());
    let attempts = compact(&world.context, &plan, &summarizer, &no_progress).unwrap();
    let results: Vec<String> = attempts
        .iter()
        .map(|attempt| match &attempt.result {
            Ok(one) => one.slug.clone(),
            Err(error) => error.to_string(),
        })
        .collect();
    assert_eq!(results, ["r0/sum", "r1/b is at version 2, not 1", "r2/sum"]);
    assert_eq!(world.text("r1/b.md"), "---\nstatus: stale\n---\nOther words.\n");
    assert!(!world.text("r1/a.md").contains("compacted"), "a cluster is compacted atomically");
    assert!(world.text("r0/sum.md").contains("summarized_by: says"), "{}", world.text("r0/sum.md"));
    world.check_consistency();
}

fn given(cluster: &str) -> GivenSummary {
    GivenSummary {
        cluster: cluster.into(),
        title: "The sum".into(),
        content: "All that counts.".into(),
        ..GivenSummary::default()
    }
}

#[test]
fn summaries_are_accepted_only_for_the_planned_pages() {
    let world = World::synced(&rows(4));
    let ids: Vec<String> = planned(&world).clusters.into_iter().map(|cluster| cluster.id).collect();
    world.file("r1/a.md", "---\nstatus: stale\n---\nText 1 a, changed.\n- related [[r1/c]]\n");
    world.file("r2/a.md", "Fresh again.\n");
    world.sync();
    let with_slug =
        GivenSummary { slug: Some("sums/third".into()), tags: Some(vec!["sum".into()]), ..given(&ids[3]) };
    let summaries =
        [given(&ids[0]), given(&ids[1]), given(&ids[2]), with_slug, given(&ids[0]), given("nonsense")];
    let attempts = apply_summaries(&world.context, &summaries, &no_progress).unwrap();
    let results: Vec<String> = attempts
        .iter()
        .map(|attempt| match &attempt.result {
            Ok(one) => one.slug.clone(),
            Err(error) => {
                assert_eq!(error.code().name(), "conflict");
                error.to_string().replace(&attempt.cluster, "ID")
            }
        })
        .collect();
    check(
        &results.join("\n"),
        expect![[r#"
        r0/the-sum
        cluster ID changed since it was planned: its pages changed, r1/a last
        cluster ID changed since it was planned: its pages are compacted, no longer stale, or in other clusters
        sums/third
        cluster ID changed since it was planned: its pages are compacted, no longer stale, or in other clusters
        cluster ID changed since it was planned: its pages are compacted, no longer stale, or in other clusters"#]],
    );
    let third = world.text("sums/third.md");
    assert!(third.contains("tags: [sum]") && third.contains("summarized_by: tester"), "{third}");
    assert!(third.contains("compacted_from: [r3/a, r3/b, r3/c]"), "{third}");
    assert!(!world.text("r1/b.md").contains("compacted") && !world.text("r2/b.md").contains("compacted"));
}

#[test]
fn empty_summaries_and_taken_slugs_change_nothing() {
    let world = World::synced(&rows(1));
    let (before, id) = (texts(&world), planned(&world).clusters.remove(0).id);
    for (summary, code) in [
        (GivenSummary { content: " \n".into(), ..given(&id) }, "usage"),
        (GivenSummary { title: String::new(), ..given(&id) }, "usage"),
        (GivenSummary { slug: Some("r0/a".into()), ..given(&id) }, "exists"),
        (GivenSummary { slug: Some("../out".into()), ..given(&id) }, "denied"),
    ] {
        let attempts = apply_summaries(&world.context, &[summary], &no_progress).unwrap();
        assert_eq!(attempts[0].result.as_ref().unwrap_err().code().name(), code);
        assert_eq!(texts(&world), before);
    }
}

#[test]
fn contested_and_locked_pages_are_excluded() {
    let world = World::synced(
        "-- lore.toml --\n[[rule]]\nname = \"kept\"\npaths = [\"kept/**\"]\nallow = []\n\
         -- a.md --\n---\nstatus: contested\n---\n- related [[b]]\n-- b.md --\n---\nstatus: stale\n---\n- related [[c]]\n\
         -- c.md --\n---\nstatus: stale\n---\nText.\n-- kept/d.md --\n---\nstatus: stale\n---\n- related [[b]]\n",
    );
    assert_eq!(shown(&planned(&world)), [""; 0], "two are too few, one is contested, one is read-only");
    world.file("e.md", "---\nstatus: stale\n---\n- related [[c]]\n");
    world.sync();
    let plan = planned(&world);
    assert_eq!(shown(&plan), ["Links: b c e"]);
    let blocked: Vec<(&str, bool)> =
        plan.clusters[0].inbound.iter().map(|link| (link.path.as_str(), link.blocked.is_some())).collect();
    assert_eq!(blocked, [("a.md", false), ("kept/d.md", true)]);
    let kept = world.text("kept/d.md");
    let written = done(compact(&world.context, &plan, &extractive(), &no_progress).unwrap());
    assert_eq!(written[0].repointed, ["a.md"]);
    assert!(written[0].warnings[0].contains("kept/d.md:4 still links to b"), "{:?}", written[0].warnings);
    assert_eq!(world.text("kept/d.md"), kept);
}

#[test]
fn clusters_are_selected_by_path_id_and_limit() {
    let world = World::synced(&rows(3));
    let plan = |request: CompactRequest| plan_compaction(&world.context, &request, &no_progress);
    let all = planned(&world);
    let found = plan(CompactRequest { path: Some("r1/".into()), ..Default::default() }).unwrap();
    assert_eq!(shown(&found), ["Links: r1/a r1/b r1/c"]);
    let found = plan(CompactRequest { limit: Some(2), ..Default::default() }).unwrap();
    assert_eq!((found.clusters.len(), found.found), (2, 3));
    let ids = all.clusters[2].id.split('-').next().unwrap().to_owned();
    let found = plan(CompactRequest { clusters: vec![ids], ..Default::default() }).unwrap();
    assert_eq!(found.clusters[0].id, all.clusters[2].id);
    let missing = plan(CompactRequest { clusters: vec!["none".into()], ..Default::default() });
    assert!(matches!(missing, Err(Error::NoCluster { .. })));
}

/// A model whose vectors are letter counts, so that texts with the same words have the same direction.
struct Letters;

impl Embedder for Letters {
    fn identity(&self) -> &ModelIdentity {
        static IDENTITY: std::sync::OnceLock<ModelIdentity> = std::sync::OnceLock::new();
        IDENTITY.get_or_init(|| ModelIdentity {
            name: "letters".into(),
            dimensions: 64,
            revision: "1".into(),
        })
    }

    fn embed_query(&self, text: &str) -> EmbedResult<Vec<f32>> {
        let mut vector = vec![-0.3; 64];
        for word in text.split_whitespace() {
            vector[usize::from(ContentHash::of(word.as_bytes()).0[0]) % 64] += 1.0;
        }
        let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
        Ok(vector.into_iter().map(|number| number / length).collect())
    }

    fn embed_passages(&self, texts: &[&str]) -> EmbedResult<Vec<Vec<f32>>> {
        texts.iter().map(|text| self.embed_query(text)).collect()
    }
}

struct Shelf;

impl Models for Shelf {
    fn preferred(&self) -> Vec<String> {
        vec!["letters".into()]
    }

    fn open(&self, name: &str) -> EmbedResult<Arc<dyn Embedder>> {
        match name {
            "letters" => Ok(Arc::new(Letters)),
            _ => Err(EmbedError::Model { place: name.into(), reason: "it is not here".into() }),
        }
    }

    fn is_instant(&self, _: &str) -> bool {
        true
    }

    fn count_tokens(&self, text: &str) -> usize {
        estimate_tokens(text)
    }
}

/// Three similar pages in one folder, one elsewhere, and one that is different.
fn similar() -> String {
    let page =
        |path: &str, text: &str| format!("-- {path} --\n---\ntitle: Report\nstatus: stale\n---\n{text}\n");
    let report = "The harbour opened at six and twelve ships came in with grain from the east";
    [
        page("log/a.md", report),
        page("log/b.md", &format!("{report} again")),
        page("log/deep/c.md", &format!("{report} once more")),
        page("other/d.md", report),
        page("log/e.md", "Nothing of the kind was said about bread or tax by anybody here"),
    ]
    .concat()
}

#[test]
fn similar_pages_of_one_namespace_are_clustered_with_and_without_a_model() {
    let by_words = World::synced(&similar());
    let plan = planned(&by_words);
    assert_eq!(shown(&plan), ["Similarity: log/a log/b log/deep/c"]);
    assert!(plan.notes[0].to_string().contains("no embedding model"), "{:?}", plan.notes);
    let by_embedding = World::with_models(&similar(), Arc::new(Shelf));
    by_embedding.sync();
    let plan = planned(&by_embedding);
    assert_eq!((shown(&plan), plan.notes.len()), (vec!["Similarity: log/a log/b log/deep/c".to_owned()], 0));
    assert_eq!(plan.measure, Measure::Embedding { model: "letters".into() });
    let cluster = &plan.clusters[0];
    assert_eq!(cluster.connection, Connection::Similarity);
    assert!(cluster.ties.len() >= 2);
    assert!(
        cluster.ties.iter().all(|tie| tie.similarity.is_some_and(|value| value > 0.8)),
        "{:?}",
        cluster.ties
    );
}

#[test]
fn policy_sets_cluster_size_and_summary_path() {
    let policy = "-- lore.toml --\n[compact]\nsmallest = 2\nlargest = 2\nfolder = \"sums\"\nname = \"{date}-{slug}\"\n";
    let files = "-- x/a.md --\n---\nstatus: stale\n---\nSee [b](b.md) and [out](../out.md) now.\n-- x/b.md --\n---\nstatus: stale\n---\n\
        The [one](a.md) is here.\n-- x/c.md --\n---\nstatus: stale\n---\n- related [[x/b]]\nText of three words.\n-- out.md --\nText.\n";
    let world = World::synced(&format!("{policy}{files}"));
    let plan = planned(&world);
    assert_eq!(plan.clusters.len(), 1, "{:?}", shown(&plan));
    let written = done(compact(&world.context, &plan, &extractive(), &no_progress).unwrap());
    assert_eq!(written[0].path, "sums/2024-06-01-b-and-1-more-summary.md");
    let text = world.text(&written[0].path);
    assert!(!text.contains("](a.md)"), "links are relative to the summary's folder: {text}");
    assert!(!world.state().contains("-> ?"), "{}", world.state());
}

#[test]
fn roam_summaries_have_all_required_properties() {
    let node = |name: &str, id: u32, link: &str| {
        format!(
            "-- {name}.md --\n---\nid: 0192f3a1-7c4e-7b21-9d55-0a1b2c3d4e{id}\ntitle: Deploying {name}\ntags: [procedure]\n\
             projects: [billing]\ncreated: 2024-01-01\nupdated: 2024-01-01\ncreated_by: ada\nconfidence: observed\n\
             visibility: personal\nsource: chat\nstatus: superseded\nsummary: How to deploy {name}.\n---\n\
             Run the suite before {name} goes out.\n{link}"
        )
    };
    let policy = lore_engine::Profile::Roam
        .policy_in(Some(lore_engine::PageFormat::Markdown))
        .replace("dirty = \"refuse\"", "dirty = \"keep\"");
    let files = [
        format!("-- lore.toml --\n{policy}"),
        node("one", 10, "\n- related [[two]]\n"),
        node("two", 11, "\n- related [[three]]\n"),
        node("three", 12, ""),
    ]
    .concat();
    let world = World::synced(&files);
    let written = done(compact(&world.context, &planned(&world), &extractive(), &no_progress).unwrap());
    let text = world.text(&written[0].path);
    for part in [
        "status: current",
        "projects: [billing]",
        "tags: [procedure]",
        "source: compaction",
        "source_type: compaction",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(world.text("one.md").contains("status: compacted"));
}
