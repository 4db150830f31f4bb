//! Finds whole notes.

use lore_engine::{MAX_HITS, SearchRequest, VaultContext, search};
use lore_ports::{Filter, LinkFilter, Order, PageRow, StatementFilter, Window};
use lore_text::{PartialDate, since};

use super::{EntityType, FindNotes, FoundNote, SearchType, metadata, windows};
use crate::app::error::Result;
use crate::app::session::Session;
use crate::ops::as_of::date;
use crate::ops::external_text::PageText;
use crate::ops::filters::Filters;
use crate::ops::pages::notes::item::{body, permalink};
use crate::ops::search::request::{Mode, request};
use crate::ops::views::timestamp;

impl FindNotes {
    /// Returns the notes that match, with their texts if these were asked for.
    pub(super) fn notes(
        &self,
        session: &Session,
        context: &VaultContext,
        wanted: usize,
    ) -> Result<Vec<FoundNote>> {
        let mut found = Vec::new();
        for (page, score) in self.pages(session, context, wanted)? {
            let mut note = FoundNote::new(context, &page, score);
            if self.contents {
                note.content = Some(PageText::new(context, &page, body(context, &page)?));
                note.properties = Some(page.properties.clone());
            }
            if let Some(around) = self.context_lines {
                let text = lore_vault::decode(&context.read(&page)?.bytes).text.into_owned();
                let most = self.max_matches.unwrap_or(10).max(1);
                note.matches = Some(windows::matches(&text, self.words().unwrap_or_default(), around, most));
            }
            found.push(note);
        }
        Ok(found)
    }

    /// Returns the pages that match, with their scores; those of a list have none.
    pub(super) fn pages(
        &self,
        session: &Session,
        context: &VaultContext,
        wanted: usize,
    ) -> Result<Vec<(PageRow, f64)>> {
        let filter = self.filter(session, context)?;
        let is_narrowed = !self.metadata_filters.is_empty() || self.valid_at.is_some();
        let limit = if is_narrowed { MAX_HITS } else { wanted };
        let kind = self.search_type.unwrap_or(SearchType::Hybrid);
        let tag = self.words().and_then(|words| words.strip_prefix("tag:")).map(str::trim);
        let mut pages = match (self.words(), tag, kind) {
            (Some(_), Some(tag), _) => {
                let tags = [filter.tags.clone(), vec![tag.trim_start_matches('#').to_owned()]].concat();
                listed(context, &Filter { tags, ..filter }, limit)?
            }
            (None, ..) => listed(context, &filter, limit)?,
            (Some(words), _, SearchType::Title) => {
                listed(context, &Filter { title: Some(words.to_owned()), ..filter }, limit)?
            }
            (Some(words), _, SearchType::Permalink) => by_permalink(context, &filter, words)?,
            (Some(words), _, kind) => self.searched(session, context, &filter, words, kind, limit)?,
        };
        pages.retain(|(page, _)| metadata::matches(&page.properties, &self.metadata_filters));
        if let Some(day) = &self.valid_at {
            let day = date("valid_at", day, context)?;
            let mut kept = Vec::new();
            for (page, score) in pages {
                if is_valid_on(context, &page, day)? {
                    kept.push((page, score));
                }
            }
            pages = kept;
        }
        Ok(pages)
    }

    fn filter(&self, session: &Session, context: &VaultContext) -> Result<Filter> {
        let filters = Filters { kind: self.note_types.clone(), tag: self.tags.clone(), ..Filters::default() };
        let mut filter = filters.build(session, context)?;
        // The status in the file, as clients of note-taking tools mean it.
        filter.status.clone_from(&self.status);
        filter.since = self.after_date.as_deref().map(|date| since(date, &context.now())).transpose()?;
        Ok(filter)
    }

    fn searched(
        &self,
        session: &Session,
        context: &VaultContext,
        filter: &Filter,
        words: &str,
        kind: SearchType,
        limit: usize,
    ) -> Result<Vec<(PageRow, f64)>> {
        let settings = match kind {
            SearchType::Vector | SearchType::Semantic => request(session, Mode::Semantic)?,
            SearchType::Hybrid => request(session, Mode::Hybrid)?,
            _ => SearchRequest::default(),
        };
        let request = SearchRequest { text: words.to_owned(), filter: filter.clone(), limit, ..settings };
        let is_semantic = kind != SearchType::Text;
        let least = self.min_similarity.filter(|_| is_semantic).unwrap_or(f64::MIN);
        let hits = search(context, &request)?.hits.into_iter().map(|hit| (hit.page, hit.score));
        Ok(hits.filter(|(_, score)| *score >= least).collect())
    }
}

impl FoundNote {
    /// Returns a whole note.
    pub(super) fn new(context: &VaultContext, page: &PageRow, score: f64) -> FoundNote {
        let permalink = permalink(page);
        FoundNote {
            kind: EntityType::Entity,
            title: page.title.clone(),
            entity: permalink.clone(),
            permalink,
            id: page.id.clone(),
            file_path: page.path.clone().into(),
            score,
            note_type: page.kind.clone(),
            tags: page.tags.clone(),
            created: timestamp(page.created),
            updated: timestamp(page.updated),
            project: context.name().to_owned(),
            content: None,
            category: None,
            relation: None,
            properties: None,
            matches: None,
        }
    }
}

fn listed(context: &VaultContext, filter: &Filter, limit: usize) -> Result<Vec<(PageRow, f64)>> {
    let window = Window { limit, offset: 0 };
    let rows = context.store().list(context.project(), filter, Order::Updated, window)?;
    Ok(rows.into_iter().map(|row| (row, 0.0)).collect())
}

/// Returns the pages with a permalink, or with one that fits a pattern. A permalink may begin with the project's name.
fn by_permalink(context: &VaultContext, filter: &Filter, wanted: &str) -> Result<Vec<(PageRow, f64)>> {
    let wanted = lore_engine::without_scheme(wanted);
    let own = format!("{}/", context.name());
    let fits = |permalink: &str| {
        let bare = permalink.strip_prefix(&own).unwrap_or(permalink);
        let asked = wanted.strip_prefix(&own).unwrap_or(wanted);
        lore_text::wildcard(asked, bare)
    };
    let mut pages = listed(context, filter, i64::MAX as usize)?;
    pages.retain(|(page, _)| fits(&permalink(page)) || fits(&page.slug));
    Ok(pages)
}

/// Whether a relation or a fact of a page has an interval that contains the day.
fn is_valid_on(context: &VaultContext, page: &PageRow, day: PartialDate) -> Result<bool> {
    let numbers = [page.number];
    let links = context.store().links(context.project(), &LinkFilter::From(&numbers))?;
    let filter = StatementFilter { pages: Some(&numbers), ..StatementFilter::default() };
    let statements = context.store().statements(context.project(), &filter)?;
    let mut intervals =
        links.iter().map(|row| row.link.interval).chain(statements.iter().map(|row| row.statement.interval));
    let day = day.first_day();
    Ok(intervals.any(|interval| {
        let begun = interval.from.is_none_or(|from| from.first_day() <= day);
        let open = interval.until.is_none_or(|until| day <= until.last_day());
        (interval.from.is_some() || interval.until.is_some()) && begun && open
    }))
}
