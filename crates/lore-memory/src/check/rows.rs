//! Input of a check: pages, facts, entries and relations of a vault, read in bulk, and the names in them.

use std::collections::{BTreeSet, HashMap, HashSet};

use lore_engine::{Resolution, Result, VaultContext, choose, names_of};
use lore_page::Interval;
use lore_ports::{
    Filter, KeyRow, LinkFilter, LinkRow, NameQuery, Order, PageNo, PageRow, StatementFilter, StatementKind,
    StatementRow, Window,
};
use lore_text::{PartialDate, fold};

use super::contradiction::LineRef;
use super::object::{plain_object, without_legal_form};

/// Relation from a page to the page it replaces.
pub(super) const SUPERSEDES: &str = "supersedes";

/// Statuses of pages that are no longer live.
pub(super) const CLOSED_STATUSES: [&str; 6] =
    ["superseded", "archived", "deprecated", "obsolete", "rejected", "retracted"];

/// Rows of a vault.
pub(super) struct Rows {
    pub pages: HashMap<PageNo, PageRow>,
    pub facts: Vec<StatementRow>,
    pub entries: Vec<StatementRow>,
    /// Relations, sorted by page and line.
    pub relations: Vec<LinkRow>,
    /// Today as `YYYY-MM-DD`.
    pub today: String,
    superseded: HashSet<PageNo>,
}

impl Rows {
    /// Reads the rows from the index.
    pub fn read(context: &VaultContext) -> Result<Rows> {
        let (store, project) = (context.store(), context.project());
        let all = Window { limit: usize::MAX, offset: 0 };
        let pages = store.list(project, &Filter::default(), Order::Updated, all)?;
        let statements = |kind| {
            store.statements(project, &StatementFilter { pages: None, kind: Some(kind), naming: None })
        };
        Ok(Rows::new(
            pages,
            statements(StatementKind::Fact)?,
            statements(StatementKind::Entry)?,
            store.links(project, &LinkFilter::WithVerb)?,
            context.today(),
        ))
    }

    /// Creates rows from their parts.
    pub fn new(
        pages: Vec<PageRow>,
        facts: Vec<StatementRow>,
        entries: Vec<StatementRow>,
        relations: Vec<LinkRow>,
        today: String,
    ) -> Rows {
        let pages: HashMap<PageNo, PageRow> = pages.into_iter().map(|page| (page.number, page)).collect();
        let mut rows = Rows { pages, facts, entries, relations, today, superseded: HashSet::new() };
        rows.superseded = rows.superseded_pages();
        rows
    }

    /// Returns whether a page is live.
    pub fn is_live(&self, page: PageNo) -> bool {
        self.pages.contains_key(&page) && !self.superseded.contains(&page)
    }

    /// Returns whether an interval contains today.
    pub fn holds(&self, interval: Interval) -> bool {
        interval.holds_on(&self.today)
    }

    /// Returns whether a date is in the past.
    pub fn is_past(&self, date: PartialDate) -> bool {
        date.last_day() < self.today
    }

    /// Returns the slug of a page.
    pub fn slug(&self, page: PageNo) -> &str {
        self.pages.get(&page).map_or("", |page| page.slug.as_str())
    }

    /// Returns the title of a page.
    pub fn title(&self, page: PageNo) -> &str {
        self.pages.get(&page).map_or("", |page| page.title.as_str())
    }

    /// Returns the pages with a closed status and those superseded by another page.
    fn superseded_pages(&self) -> HashSet<PageNo> {
        let is_closed = |page: &PageRow| {
            page.status.as_deref().is_some_and(|status| CLOSED_STATUSES.contains(&fold(status).as_str()))
        };
        let mut closed: HashSet<PageNo> =
            self.pages.values().filter(|page| is_closed(page)).map(|page| page.number).collect();
        for link in &self.relations {
            let supersedes =
                link.link.relation.eq_ignore_ascii_case(SUPERSEDES) && self.holds(link.link.interval);
            if supersedes && let Some(to) = link.to.filter(|to| *to != link.from) {
                closed.insert(to);
            }
        }
        closed
    }
}

/// Subject of a fact.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Subject {
    /// A page.
    Page(PageNo),
    /// A name that no page has.
    Name(String),
    /// A name shared by several pages, used on this page. It cannot be matched with the same name elsewhere.
    Unclear(PageNo, String),
}

impl Subject {
    /// Returns the slug of the page, or the name.
    pub fn label(&self, rows: &Rows) -> String {
        match self {
            Subject::Page(page) => rows.slug(*page).to_owned(),
            Subject::Name(name) | Subject::Unclear(_, name) => name.clone(),
        }
    }

    /// Returns the title of the page, or the name.
    pub fn title(&self, rows: &Rows) -> String {
        match self {
            Subject::Page(page) => rows.title(*page).to_owned(),
            Subject::Name(name) | Subject::Unclear(_, name) => name.clone(),
        }
    }

    /// Returns the page, if it is one.
    pub fn page(&self) -> Option<PageNo> {
        match self {
            Subject::Page(page) => Some(*page),
            _ => None,
        }
    }
}

/// Pages that the names in facts refer to, resolved in one query.
#[derive(Debug, Default)]
pub(super) struct ResolvedNames {
    rows: HashMap<String, Vec<KeyRow>>,
}

impl ResolvedNames {
    /// Resolves these names.
    pub fn resolve<'n>(
        context: &VaultContext,
        names: impl Iterator<Item = &'n str>,
    ) -> Result<ResolvedNames> {
        let names: BTreeSet<String> = names.flat_map(name_forms).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut rows: HashMap<String, Vec<KeyRow>> = HashMap::new();
        for row in context.store().lookup(context.project(), &NameQuery::Exact(&names))? {
            rows.entry(row.key.clone()).or_default().push(row);
        }
        Ok(ResolvedNames { rows })
    }

    /// Returns the pages a name can refer to, by the strongest kind of match; several if it is ambiguous.
    pub fn pages(&self, name: &str) -> Vec<PageNo> {
        let plain = plain_object(name);
        let whole = self.resolve_pages(plain);
        if !whole.is_empty() {
            return whole;
        }
        self.resolve_pages(&without_legal_form(plain))
    }

    /// Returns the subject of a fact on a page.
    pub fn subject(&self, page: PageNo, named: Option<&str>) -> Subject {
        let Some(name) = named else { return Subject::Page(page) };
        match self.resolve_pages(name).as_slice() {
            [one] => Subject::Page(*one),
            [] => Subject::Name(fold(plain_object(name))),
            // A page may refer to itself by a name that other pages share.
            many if many.contains(&page) => Subject::Page(page),
            _ => Subject::Unclear(page, fold(plain_object(name))),
        }
    }

    fn resolve_pages(&self, name: &str) -> Vec<PageNo> {
        let rows: Vec<KeyRow> =
            names_of(name).iter().filter_map(|name| self.rows.get(name)).flatten().cloned().collect();
        match choose(&rows, name, None) {
            Resolution::One(row) => vec![row.page],
            Resolution::Many(rows) => rows.iter().map(|row| row.page).collect(),
            Resolution::None => Vec::new(),
        }
    }
}

/// Returns all forms in which a name is looked up.
fn name_forms(name: &str) -> Vec<String> {
    let plain = plain_object(name);
    let short = without_legal_form(plain);
    [name, plain, &short].iter().flat_map(|name| names_of(name)).filter(|name| !name.is_empty()).collect()
}

/// Returns the place of a statement.
pub(super) fn line_ref(row: &StatementRow) -> LineRef {
    LineRef { page: row.page, line: row.statement.lines.first }
}
