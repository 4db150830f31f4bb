//! Semantic search through the engine, with a small predictable model: synonyms have the same direction. The real
//! models are covered by the tests of the binary.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use lore_engine::{
    Fusion, Mode, Note, SearchRequest, SearchResult, Signals, choose_model, embed_pending, search,
};
use lore_ports::{EmbedError, EmbedResult, Embedder, ModelIdentity, Models, no_progress};
use lore_text::{ContentHash, estimate_tokens};

use super::fixture::World;

/// Groups of synonyms.
const SYNONYMS: [&[&str]; 5] = [
    &["dog", "dogs", "canine", "puppy"],
    &["training", "behavior", "teaching", "obedience"],
    &["ship", "vessel", "boat"],
    &["money", "price", "cost", "pricing"],
    &["weather", "rain", "storm"],
];

const DIMENSIONS: usize = 64;

/// A model that knows these words, and distinguishes all others by their letters.
struct Tiny {
    identity: ModelIdentity,
    /// How many passages it embeds before it fails.
    left: AtomicUsize,
}

impl Tiny {
    fn vector(&self, text: &str) -> Vec<f32> {
        let mut vector = vec![0.001; DIMENSIONS];
        for word in text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()) {
            let word = word.to_lowercase();
            let group = SYNONYMS.iter().position(|group| group.contains(&word.as_str()));
            let other = || usize::from(ContentHash::of(word.as_bytes()).0[0]) % (DIMENSIONS - 8) + 8;
            let weight = if group.is_some() { 3.0 } else { 0.3 };
            // Another revision of the model reverses its vectors.
            let at = group.unwrap_or_else(other);
            vector[if self.identity.revision == "turned" { DIMENSIONS - 1 - at } else { at }] += weight;
        }
        let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
        vector.into_iter().map(|number| number / length).collect()
    }
}

impl Embedder for Tiny {
    fn identity(&self) -> &ModelIdentity {
        &self.identity
    }

    fn embed_query(&self, text: &str) -> EmbedResult<Vec<f32>> {
        Ok(self.vector(text))
    }

    fn embed_passages(&self, texts: &[&str]) -> EmbedResult<Vec<Vec<f32>>> {
        let left = self.left.load(Ordering::Relaxed);
        if left < texts.len() {
            return Err(EmbedError::Unavailable { place: "tiny".into(), reason: "the model is down".into() });
        }
        self.left.store(left - texts.len(), Ordering::Relaxed);
        Ok(texts.iter().map(|text| self.vector(text)).collect())
    }
}

/// The models: `tiny` embeds inline, `slow` on request, `fails` after a hundred passages.
pub(super) struct Shelf {
    pub(super) first: &'static str,
    pub(super) revision: &'static str,
}

impl Models for Shelf {
    fn preferred(&self) -> Vec<String> {
        vec!["missing".into(), self.first.into()]
    }

    fn open(&self, name: &str) -> EmbedResult<Arc<dyn Embedder>> {
        let left = match name {
            "tiny" | "slow" => usize::MAX,
            "fails" => 200,
            _ => return Err(EmbedError::Model { place: name.into(), reason: "no such model".into() }),
        };
        let (name, revision) = (name.to_owned(), self.revision.to_owned());
        Ok(Arc::new(Tiny {
            identity: ModelIdentity { name, dimensions: DIMENSIONS, revision },
            left: AtomicUsize::new(left),
        }))
    }

    fn is_instant(&self, name: &str) -> bool {
        name == "tiny"
    }

    fn count_tokens(&self, text: &str) -> usize {
        estimate_tokens(text)
    }
}

const FILES: &str = "-- canine.md --\n# Canine behavior\n\n## Signs\nA canine that yawns is not tired.\n\n## Teaching\nObedience of a canine comes from patience.\n
-- boats.md --\n# Boats\n\nA vessel needs a harbour.\n
-- costs.md --\n# Costs\n\nThe price of a boat is high.\n
-- diary.md --\n# Diary\n\nToday there was rain, and a cat ran away.\n";

fn world(first: &'static str) -> World {
    let world = World::with_models(FILES, Arc::new(Shelf { first, revision: "straight" }));
    world.sync();
    world
}

fn search_for(world: &World, text: &str, mode: Mode) -> SearchResult {
    let request = SearchRequest { text: text.into(), mode, limit: 10, ..Default::default() };
    search(&world.context, &request).unwrap()
}

fn paths(result: &SearchResult) -> Vec<&str> {
    assert!(result.hits.is_sorted_by(|a, b| a.score >= b.score), "scores must be descending");
    result.hits.iter().map(|hit| hit.page.path.as_str()).collect()
}

#[test]
fn pages_are_found_by_meaning() {
    let world = world("tiny");
    let found = search_for(&world, "dog training", Mode::Hybrid);
    assert_eq!(found.mode, Mode::Hybrid);
    assert_eq!(paths(&found)[0], "canine.md", "{found:?}");
    let excerpt = found.hits[0].excerpt.as_ref().unwrap();
    assert_eq!(
        (excerpt.lines.first, excerpt.text.as_str()),
        (7, "Obedience of a canine comes from patience.")
    );
    assert_eq!(found.hits[0].chunk.as_ref().unwrap().heading, "Teaching");
    assert!(found.hits[0].why.iter().any(|why| why.starts_with("similarity ")), "{:?}", found.hits[0].why);
    assert_eq!(paths(&search_for(&world, "ship", Mode::Semantic))[0], "boats.md");
    assert_eq!(paths(&search_for(&world, "dog training", Mode::Lexical)), [""; 0]);
    assert_eq!(paths(&search_for(&world, "cat training", Mode::Lexical)), ["diary.md"]);
}

#[test]
fn without_a_model_search_is_lexical_with_a_note() {
    let world = World::synced(FILES);
    for mode in [Mode::Hybrid, Mode::Semantic] {
        let found = search_for(&world, "cat training", mode);
        assert_eq!((found.mode, paths(&found)), (Mode::Lexical, vec!["diary.md"]));
        assert!(found.notes[0].to_string().contains("no embedding model"), "{:?}", found.notes);
    }
}

#[test]
fn exact_names_rank_above_semantic_matches() {
    let world = world("tiny");
    world.file("odd.md", "---\ntitle: Dog training\naliases: [puppy school]\n---\nNothing.\n");
    for number in 0..20 {
        let text = "dog training puppy school obedience ".repeat(10);
        world.file(&format!("loud/{number}.md"), format!("# Loud {number}\n{text}\n"));
    }
    world.sync();
    for question in ["dog training", "DOG TRAINING", "odd", "puppy school"] {
        let found = search_for(&world, question, Mode::Hybrid);
        assert_eq!(paths(&found)[0], "odd.md", "{question}");
        assert!(found.hits[0].why[0].starts_with("exact "), "{:?}", found.hits[0].why);
    }
}

#[test]
fn hybrid_never_demotes_the_only_full_lexical_match() {
    let world = world("tiny");
    // Only one page has all the words, but many have their meaning.
    let filler = "Walks and sleep. ".repeat(400);
    world.file("needle.md", format!("# Walks\n\n{filler}\n\nOne dog had training on the weather ship.\n"));
    for number in 0..30 {
        world.file(
            &format!("near/{number}.md"),
            "# Puppy obedience\n\nTeaching a canine in rain and storm on a boat.\n",
        );
    }
    world.sync();
    let question = "which dog had training on the weather ship";
    for signals in [Signals::default(), Signals { entity: false, dates: false, ..Signals::default() }] {
        let text = question.into();
        let request = SearchRequest { text, mode: Mode::Hybrid, signals, limit: 10, ..Default::default() };
        let found = search(&world.context, &request).unwrap();
        assert_eq!(paths(&found)[0], "needle.md");
    }
    assert_eq!(paths(&search_for(&world, question, Mode::Lexical))[0], "needle.md");
}

#[test]
fn all_fusion_methods_find_common_hits() {
    let world = world("tiny");
    for fusion in [Fusion::Weighted(0.5), Fusion::Union, Fusion::Reciprocal(60.0)] {
        let text = "price of a vessel".into();
        let request = SearchRequest { text, mode: Mode::Hybrid, fusion, limit: 10, ..Default::default() };
        let found = search(&world.context, &request).unwrap();
        let first: Vec<&str> = paths(&found)[..2].to_vec();
        assert!(first.contains(&"costs.md") && first.contains(&"boats.md"), "{fusion:?}: {first:?}");
    }
}

#[test]
fn pages_named_in_the_query_rank_higher() {
    let world = world("tiny");
    world.files(
        "-- people/ada.md --\n# Ada\n\nShe wrote.\n\
         -- people/ada/letters.md --\n# Letters\n\nTo a friend about a storm.\n\
         -- people/bob.md --\n# Bob\n\nA friend wrote about a storm.\n",
    );
    world.sync();
    let found = search_for(&world, "what did ada write about the storm", Mode::Hybrid);
    let why = |path: &str| found.hits.iter().find(|hit| hit.page.path == path).expect(path).why.join(", ");
    assert!(why("people/ada.md").contains("the question names it: ada"), "{}", why("people/ada.md"));
    assert!(why("people/ada/letters.md").contains("filed under a name in the question: ada"));
    assert!(!why("people/bob.md").contains("name"), "{}", why("people/bob.md"));
}

#[test]
fn dates_in_the_query_match_entries() {
    let world = world("tiny");
    world.files(
        "-- a.md --\n# A\n\nText.\n\n---\n\n- **2024-03-05** | note — A storm at sea.\n\
         -- b.md --\n# B\n\nText.\n\n---\n\n- **2023-01-05** | note — A storm at sea.\n",
    );
    world.sync();
    let found = search_for(&world, "which storm was in March 2024?", Mode::Hybrid);
    assert_eq!(paths(&found)[0], "a.md");
    assert!(found.hits[0].why.contains(&"has the date 2024-03-05".to_owned()), "{:?}", found.hits[0].why);
}

#[test]
fn ties_are_broken_by_the_latest_change() {
    let world = world("tiny");
    // The fixture gives each file a later mtime than the one before.
    for path in ["twin-b.md", "twin-a.md"] {
        world.file(path, "---\ntitle: Twin\n---\nQuartz and basalt.\n");
    }
    world.sync();
    world.file("twin-b.md", "---\ntitle: Twin\n---\nQuartz and basalt.\n");
    world.sync();
    for (recency, expected) in [(true, ["twin-b.md", "twin-a.md"]), (false, ["twin-a.md", "twin-b.md"])] {
        let signals = Signals { recency, ..Signals::default() };
        let text = "quartz basalt".into();
        let request = SearchRequest { text, mode: Mode::Hybrid, signals, limit: 2, ..Default::default() };
        assert_eq!(paths(&search(&world.context, &request).unwrap()), expected, "{recency}");
    }
}

#[test]
fn pending_chunks_are_found_lexically_with_a_note() {
    let world = world("slow");
    let found = search_for(&world, "patience", Mode::Hybrid);
    assert_eq!(paths(&found), ["canine.md"]);
    assert!(found.notes[0].to_string().contains("5 chunks are not embedded yet"), "{:?}", found.notes);
    let row = world.context.active_model().unwrap().expect("a model");
    let done = embed_pending(&world.context, &row, &no_progress).unwrap();
    assert_eq!((done.chunks, done.left), (5, 0));
    let found = search_for(&world, "dog training", Mode::Hybrid);
    assert_eq!((paths(&found)[0], found.notes.len()), ("canine.md", 0));
    assert_eq!(
        embed_pending(&world.context, &row, &no_progress).unwrap().chunks,
        0,
        "no chunk is embedded twice"
    );
}

#[test]
fn interrupted_queues_resume() {
    let world = World::with_models("", Arc::new(Shelf { first: "fails", revision: "straight" }));
    for number in 0..300 {
        world.file(&format!("{number}.md"), format!("# Page {number}\n\nText of {number}.\n"));
    }
    world.sync();
    let row = world.context.active_model().unwrap().expect("a model");
    let failed = embed_pending(&world.context, &row, &no_progress).unwrap_err();
    assert!(failed.to_string().contains("the model is down"), "{failed}");
    let left = world.context.store().count_pending(world.context.project(), row.number).unwrap();
    assert_eq!(left, 300 - 128, "embedded chunks are kept");
    assert!(
        paths(&search_for(&world, "page 299", Mode::Hybrid)).contains(&"299.md"),
        "pending pages are found lexically"
    );
}

#[test]
fn chunks_of_changed_files_stay_pending() {
    let world = world("slow");
    world.file("boats.md", "# Boats\n\nOther words.\n");
    let row = world.context.active_model().unwrap().expect("a model");
    let done = embed_pending(&world.context, &row, &no_progress).unwrap();
    assert_eq!((done.chunks, done.left), (4, 1));
    world.sync();
    assert_eq!(embed_pending(&world.context, &row, &no_progress).unwrap().left, 0);
}

/// Returns a page with this many chunks.
fn long_page(chunks: usize) -> String {
    (0..chunks).map(|number| format!("## Part {number}\n\nText {number}.\n\n")).collect()
}

/// A page with many chunks takes many batches, but is read and split once: it is deleted after the first.
#[test]
fn long_pages_are_read_once() {
    let world = World::with_models("", Arc::new(Shelf { first: "slow", revision: "straight" }));
    world.file("long.md", long_page(1000));
    world.sync();
    let row = world.context.active_model().unwrap().expect("a model");
    let delete = |_, _| {
        std::fs::remove_file(world.at("long.md")).ok();
        Ok(())
    };
    let done = embed_pending(&world.context, &row, &delete).unwrap();
    assert_eq!((done.chunks, done.left), (1000, 0));
}

/// No command waits for a whole import to be embedded, even by an instant model; the next ones continue.
#[test]
fn commands_embed_a_limited_number_of_chunks() {
    let world = World::with_models("", Arc::new(Shelf { first: "tiny", revision: "straight" }));
    world.file("long.md", long_page(10_600));
    world.sync();
    let row = world.context.active_model().unwrap().expect("a model");
    let left = || world.context.store().count_pending(world.context.project(), row.number).unwrap();
    assert!((1..1000).contains(&left()), "{}", left());
    let found = search_for(&world, "part", Mode::Hybrid);
    assert!(found.notes[0].to_string().contains("not embedded yet"), "{:?}", found.notes);
    world.sync();
    assert_eq!(left(), 0);
}

#[test]
fn models_switch_only_when_everything_is_embedded() {
    let world = world("tiny");
    let question = "the cost of rain for a puppy";
    let shown = |result: &SearchResult| format!("{:?}", result.hits);
    let before = shown(&search_for(&world, question, Mode::Hybrid));
    let (row, embedded) = choose_model(&world.context, "slow", &no_progress).unwrap();
    assert_eq!((row.identity.name.as_str(), embedded.chunks, embedded.left), ("slow", 5, 0));
    let active = || world.context.active_model().unwrap().expect("a model").identity.name;
    assert_eq!(active(), "slow");
    let (_, embedded) = choose_model(&world.context, "tiny", &no_progress).unwrap();
    assert_eq!(embedded.chunks, 0, "the vectors of the first model were kept");
    assert_eq!(
        (active(), shown(&search_for(&world, question, Mode::Hybrid))),
        ("tiny".to_owned(), before.clone())
    );
    // A model that fails half-way changes nothing.
    for number in 0..300 {
        world.file(&format!("{number}.md"), format!("# Page {number}\n\nText of {number}.\n"));
    }
    world.sync();
    assert!(choose_model(&world.context, "fails", &no_progress).is_err());
    assert!(choose_model(&world.context, "missing", &no_progress).is_err());
    assert_eq!(active(), "tiny");
}

#[test]
fn revisions_of_a_model_are_not_mixed() {
    let world = world("tiny");
    let world = world.reopened(Arc::new(Shelf { first: "tiny", revision: "turned" }));
    let found = search_for(&world, "dog training", Mode::Hybrid);
    assert_eq!(found.mode, Mode::Lexical);
    let outdated = |note: &Note| matches!(note, Note::Model { error: EmbedError::Outdated { model, .. }, .. } if model == "tiny");
    assert!(outdated(&found.notes[0]), "{:?}", found.notes);
    choose_model(&world.context, "tiny", &no_progress).unwrap();
    assert_eq!(paths(&search_for(&world, "dog training", Mode::Hybrid))[0], "canine.md");
}

#[test]
fn rebuilt_indexes_give_the_same_results_without_embedding() {
    let world = world("slow");
    let row = world.context.active_model().unwrap().expect("a model");
    embed_pending(&world.context, &row, &no_progress).unwrap();
    let found = |world: &World| {
        ["dog training", "ship", "price", "storm"]
            .map(|text| format!("{:?}", paths(&search_for(world, text, Mode::Hybrid))))
    };
    let before = found(&world);
    world.context.store().forget(world.context.project(), lore_ports::Forget::IndexOnly).unwrap();
    world.sync();
    let pending = world.context.store().count_pending(world.context.project(), row.number).unwrap();
    assert_eq!((pending, found(&world)), (0, before));
}

#[test]
fn long_empty_and_foreign_queries_are_not_errors() {
    let world = world("tiny");
    for question in
        [String::new(), "?!".into(), "狗的训练".into(), "dog ".repeat(300_000), "\u{0}\u{7f}".into()]
    {
        for mode in [Mode::Lexical, Mode::Semantic, Mode::Hybrid] {
            search_for(&world, &question, mode);
        }
    }
}
