//! Finds observations and relations.

use lore_engine::{HitKind, SearchRequest, VaultContext, search};
use lore_ports::{LinkFilter, LinkRow, PageRow, Statement, StatementFilter, StatementKind};
use lore_text::{observation_permalink, relation_permalink};

use super::{EntityType, FindNotes, FoundNote, FoundRelation};
use crate::app::error::Result;
use crate::app::session::Session;
use crate::ops::external_text::PageText;
use crate::ops::pages::notes::item::permalink;

/// The lines to search: all of them, or those from the first number to the second.
type Range = Option<(u32, u32)>;

impl FindNotes {
    /// Returns the observations or relations that match.
    pub(super) fn lines(
        &self,
        session: &Session,
        context: &VaultContext,
        kind: EntityType,
        wanted: usize,
    ) -> Result<Vec<FoundNote>> {
        let mut found = Vec::new();
        for (page, score, range) in self.places(session, context, kind, wanted)? {
            match kind {
                EntityType::Relation => found.extend(relations(context, &page, score, range)?),
                _ => found.extend(self.observations(context, &page, score, range)?),
            }
        }
        Ok(found)
    }

    /// Returns the pages with such lines, and the range of lines that the query matched.
    fn places(
        &self,
        session: &Session,
        context: &VaultContext,
        kind: EntityType,
        wanted: usize,
    ) -> Result<Vec<(PageRow, f64, Range)>> {
        let Some(words) = self.words() else {
            let pages = self.pages(session, context, lore_engine::MAX_HITS)?;
            return Ok(pages.into_iter().map(|(page, score)| (page, score, None)).collect());
        };
        let pages = self.without_words().pages(session, context, lore_engine::MAX_HITS)?;
        let among: Vec<String> = pages.into_iter().map(|(page, _)| page.slug).collect();
        if among.is_empty() {
            return Ok(Vec::new());
        }
        let hit_kind = if kind == EntityType::Relation { HitKind::Relation } else { HitKind::Observation };
        let filter = lore_ports::Filter { among, ..lore_ports::Filter::default() };
        let request = SearchRequest {
            text: words.to_owned(),
            filter,
            kind: Some(hit_kind),
            limit: wanted,
            ..SearchRequest::default()
        };
        let hits = search(context, &request)?.hits.into_iter();
        Ok(hits
            .map(|hit| {
                let range = hit.excerpt.map(|excerpt| (excerpt.lines.first, excerpt.lines.last));
                (hit.page, hit.score, range)
            })
            .collect())
    }

    /// Returns the filters alone.
    fn without_words(&self) -> FindNotes {
        FindNotes {
            query: None,
            search_type: None,
            page: None,
            page_size: None,
            note_types: self.note_types.clone(),
            entity_types: Vec::new(),
            categories: Vec::new(),
            tags: self.tags.clone(),
            status: self.status.clone(),
            after_date: self.after_date.clone(),
            metadata_filters: self.metadata_filters.clone(),
            min_similarity: None,
            valid_at: self.valid_at.clone(),
            projects: Vec::new(),
            all_projects: false,
            contents: false,
            context_lines: None,
            max_matches: None,
        }
    }

    fn observations(
        &self,
        context: &VaultContext,
        page: &PageRow,
        score: f64,
        range: Range,
    ) -> Result<Vec<FoundNote>> {
        let numbers = [page.number];
        let filter = StatementFilter {
            pages: Some(&numbers),
            kind: Some(StatementKind::Observation),
            ..StatementFilter::default()
        };
        let rows = context.store().statements(context.project(), &filter)?;
        let is_wanted = |statement: &Statement| {
            let category = &statement.predicate;
            let named = self.categories.iter().any(|wanted| wanted.eq_ignore_ascii_case(category));
            (self.categories.is_empty() || named) && within(range, statement.lines.first)
        };
        let found = rows.into_iter().map(|row| row.statement).filter(is_wanted);
        Ok(found.map(|statement| observation(context, page, score, statement)).collect())
    }
}

fn within(range: Range, line: u32) -> bool {
    range.is_none_or(|(first, last)| (first..=last).contains(&line))
}

fn observation(context: &VaultContext, page: &PageRow, score: f64, statement: Statement) -> FoundNote {
    let tags = statement.note("tags").unwrap_or_default();
    let tags = tags.split([',', ' ']).map(|tag| tag.trim_start_matches('#').to_owned());
    FoundNote {
        kind: EntityType::Observation,
        permalink: observation_permalink(&permalink(page), &statement.predicate, &statement.object),
        tags: tags.filter(|tag| !tag.is_empty()).collect(),
        content: Some(PageText::new(context, page, statement.object)),
        category: Some(statement.predicate),
        ..FoundNote::new(context, page, score)
    }
}

fn relations(context: &VaultContext, page: &PageRow, score: f64, range: Range) -> Result<Vec<FoundNote>> {
    let rows = context.store().links(context.project(), &LinkFilter::From(&[page.number]))?;
    let rows: Vec<LinkRow> = rows.into_iter().filter(|row| within(range, row.link.line)).collect();
    let ends: Vec<i64> = rows.iter().filter_map(|row| row.to).collect();
    let targets = context.store().pages(context.project(), &ends)?;
    let own = permalink(page);
    let relation = |row: LinkRow| {
        let target = targets.iter().find(|target| Some(target.number) == row.to);
        let to = target.map(permalink);
        let name = target.map_or_else(|| row.link.target.clone(), |target| target.title.clone());
        FoundNote {
            kind: EntityType::Relation,
            permalink: relation_permalink(
                &own,
                &row.link.relation,
                to.as_deref().unwrap_or(&row.link.target),
            ),
            title: format!("{} -> {name}", page.title),
            relation: Some(FoundRelation {
                id: row.link.id,
                relation_type: row.link.relation,
                from: own.clone(),
                from_title: page.title.clone(),
                to,
                to_name: name,
            }),
            ..FoundNote::new(context, page, score)
        }
    };
    Ok(rows.into_iter().map(relation).collect())
}
