//! What `ingest` answers.

use lore_engine::{ImportRow, IngestReport, Memory, Novelty, Written};
use schemars::JsonSchema;
use serde::Serialize;

use super::super::Render;
use super::super::views::{count, outcome, timestamp};
use crate::failure::Result;

/// What became of it.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Taken {
    /// `ingested`, `already` where the same bytes are in, or `unchanged`.
    outcome: &'static str,
    /// The run that the source is kept under.
    #[serde(skip_serializing_if = "Option::is_none")]
    import_id: Option<String>,
    /// When the same bytes came in before.
    #[serde(skip_serializing_if = "Option::is_none")]
    ingested_at: Option<String>,
    /// The source's page.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<PageResult>,
    /// What the source is to the page that is most like it.
    #[serde(skip_serializing_if = "Option::is_none")]
    novelty: Option<NoveltyItem>,
    /// The other pages, in the order they were given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pages: Vec<PageResult>,
    /// Pages whose names stand in the source, the most named first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    mentions: Vec<MentionItem>,
    /// Gaps that are closed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    filled: Vec<u64>,
    /// The commit, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
    /// What a person should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
    /// What to do next.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'static str>,
}

/// A page that was written.
#[derive(Debug, Serialize, JsonSchema)]
struct PageResult {
    slug: String,
    path: String,
    version: u64,
    /// `created`, `updated` or `unchanged`.
    outcome: &'static str,
    /// What became of the new text: `written`, `skipped`, or `none` where none was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    derived: Option<&'static str>,
    /// What the new text was to the page as it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    novelty: Option<NoveltyItem>,
}

/// How new a text is.
#[derive(Debug, Serialize, JsonSchema)]
struct NoveltyItem {
    /// `novel`, `near_duplicate` or `duplicate`.
    verdict: &'static str,
    /// The page it was held against, where that is not clear.
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<String>,
    /// The overlap of words, from 0 to 1.
    jaccard: f64,
    /// The nearness in meaning; none without a model, or where words decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    cosine: Option<f64>,
}

/// A page that the source names.
#[derive(Debug, Serialize, JsonSchema)]
struct MentionItem {
    slug: String,
    title: String,
    #[serde(rename = "type")]
    kind: String,
    /// Its version, for a change that follows.
    version: u64,
    /// The name that stands in the source.
    name: String,
    /// How often.
    times: usize,
    /// The first line of the source that has it.
    line: u32,
}

const ALREADY: &str =
    "nothing was changed; to change pages for it, leave out the content; --force takes it in again";

const NEXT: &str = "read the pages it mentions, then change them in one call: `lore ingest --json-payload`";

impl Taken {
    /// That the same bytes are in.
    pub fn already(memory: &Memory, known: ImportRow) -> Result<Taken> {
        let page = memory.page_at(&known.page)?;
        let warnings = match &page {
            Some(_) => Vec::new(),
            None => vec![format!("its page {} is gone; --force makes it again", known.page)],
        };
        let source = page.map(|page| PageResult {
            slug: page.slug,
            path: page.path,
            version: page.version,
            outcome: "unchanged",
            derived: None,
            novelty: None,
        });
        Ok(Taken {
            outcome: "already",
            import_id: Some(known.batch),
            ingested_at: Some(timestamp(known.at)),
            source,
            warnings,
            hint: Some(ALREADY),
            ..Taken::default()
        })
    }

    /// What was done.
    pub fn done(report: IngestReport) -> Taken {
        let page = |written: Written| PageResult {
            slug: written.slug,
            path: written.path,
            version: written.version,
            outcome: outcome(written.outcome),
            derived: None,
            novelty: None,
        };
        let pages: Vec<PageResult> = report
            .pages
            .into_iter()
            .map(|one| PageResult {
                derived: Some(one.derived.name()),
                novelty: one.novelty.map(|novelty| NoveltyItem::new(novelty, None)),
                ..page(one.written)
            })
            .collect();
        let mention = |one: lore_engine::Mention| MentionItem {
            slug: one.page.slug,
            title: one.page.title,
            kind: one.page.kind,
            version: one.page.version,
            name: one.name,
            times: one.times,
            line: one.line,
        };
        let mentions: Vec<MentionItem> = report.mentions.into_iter().map(mention).collect();
        let changed = report.batch.is_some() || pages.iter().any(|page| page.outcome != "unchanged");
        Taken {
            outcome: if changed { "ingested" } else { "unchanged" },
            import_id: report.batch,
            ingested_at: None,
            source: report.source.map(page),
            novelty: report.novelty.map(|found| NoveltyItem::new(found.novelty, Some(found.page.slug))),
            hint: (pages.is_empty() && !mentions.is_empty()).then_some(NEXT),
            pages,
            mentions,
            filled: report.filled,
            commit: report.commit,
            warnings: report.warnings,
        }
    }
}

impl NoveltyItem {
    fn new(novelty: Novelty, page: Option<String>) -> NoveltyItem {
        let short = |number: f64| (number * 1000.0).round() / 1000.0;
        NoveltyItem {
            verdict: novelty.verdict.name(),
            page,
            jaccard: short(novelty.jaccard),
            cosine: novelty.cosine.map(short),
        }
    }
}

impl Render for Taken {
    fn human(&self) -> String {
        let mut text = match (self.outcome, &self.ingested_at) {
            ("already", Some(at)) => format!("already in, since {at}: nothing was changed\n"),
            (outcome, _) => format!("{outcome}\n"),
        };
        for (what, page) in self
            .source
            .iter()
            .map(|page| ("source", page))
            .chain(self.pages.iter().map(|page| ("page", page)))
        {
            let derived = if page.derived == Some("skipped") { ", not rewritten" } else { "" };
            let PageResult { slug, version, outcome, .. } = page;
            text.push_str(&format!("{what:<8}  {slug} (version {version}, {outcome}{derived})\n"));
        }
        if let Some(NoveltyItem { verdict, page: Some(page), jaccard, .. }) = &self.novelty {
            text.push_str(&format!("novelty   {verdict}, most like {page} (overlap {jaccard})\n"));
        }
        for MentionItem { slug, name, times, .. } in &self.mentions {
            let times = count(*times as u64, "time");
            text.push_str(&format!("mentions  {slug} ({name}, {times})\n"));
        }
        text.extend(self.filled.iter().map(|gap| format!("fills     gap {gap}\n")));
        text.extend(self.warnings.iter().map(|warning| format!("warning: {warning}\n")));
        text.extend(self.hint.iter().map(|hint| format!("hint: {hint}\n")));
        text
    }
}
