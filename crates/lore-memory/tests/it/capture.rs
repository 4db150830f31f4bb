//! Captures through the engine, with the predictable model of `meaning.rs`. The real models and the profiles are
//! covered by the tests of the binary.

use std::sync::Arc;

use lore_engine::{Error, embed_pending};
use lore_memory::{CaptureRequest, Captured, NewCapture, SimilarityMethod, capture, similar_pages};
use lore_ports::no_progress;

use super::embed_queue::Shelf;
use super::fixture::World;

const FILES: &str = "-- canine.md --\n# Canine behavior\n\nTeaching a canine obedience.\n
-- boats.md --\n# Boats\n\nA vessel needs a harbour.\n
-- costs.md --\n# Costs\n\nThe price of a boat is high.\n";

fn world(first: &'static str) -> World {
    let world = World::with_models(FILES, Arc::new(Shelf { first, revision: "straight" }));
    world.sync();
    world
}

fn kept(text: &str) -> CaptureRequest {
    CaptureRequest { text: text.into(), keep: true, ..CaptureRequest::default() }
}

#[track_caller]
fn new_page(world: &World, text: &str) -> NewCapture {
    match capture(&world.context, &kept(text)).unwrap() {
        Captured::New(new) => *new,
        other => panic!("{other:?}"),
    }
}

fn links(new: &NewCapture) -> Vec<&str> {
    new.related.iter().map(|page| page.path.as_str()).collect()
}

#[test]
fn paraphrases_are_similar_by_embedding_only() {
    let world = world("tiny");
    let found = similar_pages(&world.context, "Puppy training", "Training puppy behavior.").unwrap();
    let methods: Vec<(&str, SimilarityMethod)> =
        found.similar.iter().map(|one| (one.page.path.as_str(), one.method)).collect();
    assert_eq!(methods, [("canine.md", SimilarityMethod::Embedding)]);
    assert_eq!((found.model.as_deref(), found.note), (Some("tiny"), None));
    let request = CaptureRequest { text: "Training puppy behavior.".into(), ..CaptureRequest::default() };
    let before = world.listing();
    assert!(matches!(capture(&world.context, &request).unwrap(), Captured::Similar(_)));
    assert_eq!(world.listing(), before, "no file is written");
}

#[test]
fn partial_overlap_is_not_a_duplicate() {
    let world = world("tiny");
    let part = "## Dogs\n\nTeaching a dog obedience.\n";
    assert_eq!(similar_pages(&world.context, "Dogs", part).unwrap().similar.len(), 1);
    let rest = "\n## Rain\n\nStorm and rain.\n\n## Prices\n\nThe cost of it.\n";
    let found = similar_pages(&world.context, "Dogs", &format!("{part}{rest}")).unwrap();
    assert!(found.similar.is_empty(), "{found:?}");
}

#[test]
fn without_a_model_lexical_similarity_is_used_with_a_note() {
    for (first, model, note) in [
        ("slow", Some("slow"), "chunks are not embedded yet"),
        ("missing", None, "no embedding model is set up"),
    ] {
        let world = world(first);
        let found =
            similar_pages(&world.context, "Harbour", "A vessel needs a harbour, any vessel.").unwrap();
        let methods: Vec<SimilarityMethod> = found.similar.iter().map(|one| one.method).collect();
        assert_eq!((methods, found.model.as_deref()), (vec![SimilarityMethod::Terms], model), "{first}");
        assert!(found.note.as_ref().is_some_and(|text| text.to_string().contains(note)), "{:?}", found.note);
    }
    let world = world("slow");
    let row = world.context.active_model().unwrap().unwrap();
    embed_pending(&world.context, &row, &no_progress).unwrap();
    let found = similar_pages(&world.context, "Puppy training", "Training puppy behavior.").unwrap();
    assert_eq!((found.similar.len(), found.note), (1, None));
}

#[test]
fn new_pages_link_to_at_most_three_current_related_pages() {
    let world = world("tiny");
    for number in 1..=5 {
        world.file(&format!("dog{number}.md"), format!("# Dog {number}\n\nA dog needs training.\n"));
    }
    // The nearest of all, but superseded.
    let text = "Dog training, a canine matter.";
    world.file("old.md", format!("---\nstatus: superseded\n---\n# {text}\n\n{text}\n"));
    world.sync();
    let new = new_page(&world, text);
    assert_eq!(new.related.len(), 3, "{:?}", links(&new));
    assert!(!links(&new).contains(&"old.md"));
    let page = new.page.as_ref().unwrap();
    let text = world.text(&page.path);
    assert_eq!(text.matches("- related [[").count(), 3, "{text}");
    assert_eq!((new.receipt.files.len(), page.version), (1, 1), "one write");
    world.sync();
    world.check_consistency();
    assert!(!world.state().contains("-> ?"), "{}", world.state());
}

#[test]
fn ambiguous_titles_are_not_linked() {
    let world = world("tiny");
    for path in ["canine.md", "a/canine.md"] {
        world.file(path, "---\ntitle: Canine behavior\n---\nTeaching a canine obedience.\n");
    }
    world.file("boats.md", "---\ntitle: \"[Boats] | #1\"\n---\nA vessel, a ship, a boat.\n");
    world.sync();
    let new = new_page(&world, "Obedience and teaching of dogs.");
    assert_eq!(links(&new), ["a/canine.md", "canine.md"]);
    let text = world.text(&new.page.as_ref().unwrap().path);
    assert!(text.contains("- related [[a/canine]]") && text.contains("- related [[canine]]"), "{text}");
    let new = new_page(&world, "A ship is a vessel.");
    assert_eq!(links(&new), ["boats.md"]);
    assert!(world.text(&new.page.as_ref().unwrap().path).contains("- related [[boats]]"));
    // Of two pages with the same title a link resolves to the nearer one, which would be the new page itself.
    world.file("x/ship.md", "---\ntitle: Any ship\n---\nA boat is a vessel.\n");
    world.sync();
    let mut request = kept("A boat is a vessel.");
    request.title = Some("Any ship".into());
    let Captured::New(new) = capture(&world.context, &request).unwrap() else { panic!("written") };
    assert!(links(&new).contains(&"x/ship.md"), "{:?}", links(&new));
    assert!(!world.state().contains(&format!("-> {}\n", new.page.unwrap().path)), "{}", world.state());
}

#[test]
fn texts_that_cannot_hold_relations_are_saved_without() {
    let world = world("tiny");
    let new = new_page(&world, "Dog training:\n\n```\nopen");
    assert_eq!(links(&new), [""; 0]);
    assert!(!world.text(&new.page.unwrap().path).contains("related"));
}

#[test]
fn stale_updates_change_nothing() {
    let world = world("tiny");
    let before = world.text("boats.md");
    let request = |version| CaptureRequest {
        text: "A vessel needs a crew.".into(),
        update: Some("Boats".into()),
        expected_version: Some(version),
        ..CaptureRequest::default()
    };
    let refused = capture(&world.context, &request(4));
    assert!(matches!(refused, Err(Error::Conflict { expected: 4, current: 1, .. })), "{refused:?}");
    assert_eq!(world.text("boats.md"), before);
    assert!(matches!(capture(&world.context, &request(1)).unwrap(), Captured::Changed(_)));
    assert_eq!(world.text("boats.md"), "# Boats\n\nA vessel needs a crew.\n");
    world.sync();
    world.check_consistency();
}
