//! The output of `ingest`.

use lore_engine::Written;
use lore_memory::{IngestReport, Novelty};
use lore_ports::ImportRow;
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::error::Result;
use crate::app::session::Session;
use crate::ops::Render;
use crate::ops::line::Line;
use crate::ops::views::{LineResult, count, outcome, timestamp, warning_lines};

/// Output of `ingest`.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct IngestOutput {
    /// `ingested`, `already` if the same bytes were ingested before, or `unchanged`.
    outcome: &'static str,
    /// Import that the source belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    import_id: Option<String>,
    /// When the same bytes were ingested before.
    #[serde(skip_serializing_if = "Option::is_none")]
    ingested_at: Option<String>,
    /// Page of the source.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<PageResult>,
    /// Date of the source.
    #[serde(skip_serializing_if = "Option::is_none")]
    source_date: Option<String>,
    /// Where the date comes from: `parameter`, `property`, `file name`, `header field`, `heading` or `today`.
    #[serde(skip_serializing_if = "Option::is_none")]
    date_from: Option<&'static str>,
    /// Novelty of the source compared with the most similar page.
    #[serde(skip_serializing_if = "Option::is_none")]
    novelty: Option<NoveltyItem>,
    /// Other pages, in the given order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pages: Vec<PageResult>,
    /// Pages mentioned in the source, most mentioned first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    mentions: Vec<MentionItem>,
    /// Gaps that were resolved.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    filled: Vec<u64>,
    /// Commit id, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
    /// Warnings for the user.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
    /// What to do next.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

/// A page that was written.
#[derive(Debug, Serialize, JsonSchema)]
struct PageResult {
    slug: String,
    path: Line,
    version: u64,
    /// `created`, `updated` or `unchanged`.
    outcome: &'static str,
    /// What happened to the new text: `written`, `appended`, `skipped`, or `none` if none was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    derived: Option<&'static str>,
    /// Novelty of the new text compared with the previous text.
    #[serde(skip_serializing_if = "Option::is_none")]
    novelty: Option<NoveltyItem>,
    /// What happened to its structured lines.
    #[serde(flatten)]
    lines: LineResult,
}

/// The novelty of a text.
#[derive(Debug, Serialize, JsonSchema)]
struct NoveltyItem {
    /// `novel`, `near_duplicate` or `duplicate`.
    verdict: &'static str,
    /// Page it was compared with, if it is not the page itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<String>,
    /// Overlap of words, from 0 to 1.
    jaccard: f64,
    /// Cosine similarity of the embeddings; none without a model, or if the words decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    cosine: Option<f64>,
}

/// A page mentioned in the source.
#[derive(Debug, Serialize, JsonSchema)]
struct MentionItem {
    slug: String,
    title: String,
    #[serde(rename = "type")]
    kind: String,
    /// Version, for a following change.
    version: u64,
    /// Name as mentioned.
    name: String,
    /// Number of mentions.
    times: usize,
    /// First line of the source that mentions it.
    line: u32,
}

const ALREADY: &str =
    "nothing was changed; to change pages for it, pass `pages` without `content`; --force ingests it again";

const NEXT: &str = "read the mentioned pages, then change them in one call: `lore ingest --json-payload`";

impl IngestOutput {
    /// Creates the output for bytes that were ingested before.
    pub fn already(session: &Session, known: ImportRow) -> Result<IngestOutput> {
        let page = session.context()?.page_at(&known.page)?;
        let warnings = match &page {
            Some(_) => Vec::new(),
            None => {
                vec![format!("its page {} is missing; {}", known.page, session.hint("--force recreates it"))]
            }
        };
        let source = page.map(|page| PageResult {
            slug: page.slug,
            path: page.path.into(),
            version: page.version,
            outcome: "unchanged",
            derived: None,
            novelty: None,
            lines: LineResult::default(),
        });
        Ok(IngestOutput {
            outcome: "already",
            import_id: Some(known.batch),
            ingested_at: Some(timestamp(known.at)),
            source,
            warnings,
            hint: Some(session.hint(ALREADY)),
            ..IngestOutput::default()
        })
    }

    /// Converts a report.
    pub fn done(session: &Session, report: IngestReport) -> IngestOutput {
        let page = |written: Written| PageResult {
            slug: written.slug,
            path: written.path.into(),
            version: written.version,
            outcome: outcome(written.outcome),
            derived: None,
            novelty: None,
            lines: written.lines.into(),
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
        let kept = pages.iter().filter_map(|page| Some(format!("{}: {}", page.slug, page.lines.warning()?)));
        let warnings = report.warnings.into_iter().chain(kept).collect();
        let mention = |one: lore_memory::Mention| MentionItem {
            slug: one.page.slug,
            title: one.page.title,
            kind: one.page.kind,
            version: one.page.version,
            name: one.name,
            times: one.times,
            line: one.line,
        };
        let mentions: Vec<MentionItem> = report.mentions.into_iter().map(mention).collect();
        let (source_date, date_from) = report.date.map(|(day, origin)| (day, origin.name())).unzip();
        let changed = report.batch.is_some() || pages.iter().any(|page| page.outcome != "unchanged");
        IngestOutput {
            outcome: if changed { "ingested" } else { "unchanged" },
            import_id: report.batch,
            ingested_at: None,
            source: report.source.map(page),
            source_date,
            date_from,
            novelty: report.novelty.map(|found| NoveltyItem::new(found.novelty, Some(found.page.slug))),
            hint: (pages.is_empty() && !mentions.is_empty()).then(|| session.hint(NEXT)),
            pages,
            mentions,
            filled: report.filled,
            commit: report.commit,
            warnings,
        }
    }
}

impl NoveltyItem {
    fn new(novelty: Novelty, page: Option<String>) -> NoveltyItem {
        let round = |number: f64| (number * 1000.0).round() / 1000.0;
        NoveltyItem {
            verdict: novelty.kind.name(),
            page,
            jaccard: round(novelty.jaccard),
            cosine: novelty.cosine.map(round),
        }
    }
}

impl Render for IngestOutput {
    fn human(&self) -> String {
        let mut text = match (self.outcome, &self.ingested_at) {
            ("already", Some(at)) => format!("already ingested at {at}: nothing was changed\n"),
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
            if let (Some(day), Some(from)) = (&self.source_date, self.date_from.filter(|_| what == "source"))
            {
                let from = if from == "today" {
                    "no date in the source, so today".into()
                } else {
                    format!("from the {from}")
                };
                text.push_str(&format!("date      {day} ({from})\n"));
            }
            text.push_str(&page.lines.human());
        }
        if let Some(NoveltyItem { verdict, page: Some(page), jaccard, .. }) = &self.novelty {
            text.push_str(&format!("novelty   {verdict}, most similar to {page} (overlap {jaccard})\n"));
        }
        for MentionItem { slug, name, times, .. } in &self.mentions {
            let times = count(*times as u64, "time");
            text.push_str(&format!("mentions  {slug} ({name}, {times})\n"));
        }
        text.extend(self.filled.iter().map(|gap| format!("fills     gap {gap}\n")));
        text.push_str(&warning_lines(&self.warnings));
        text.extend(self.hint.iter().map(|hint| format!("hint: {hint}\n")));
        text
    }
}
