//! Full text: one FTS5 table per project, so that words weigh by their own vault and a search never walks another.
//!
//! The tables keep no copy of the text; passages are read from the files. A last column holds a token for each
//! type, tag, status, folder and property of a page, so that these filters narrow the search inside FTS5 instead
//! of being checked row by row.

use lore_engine::{Expression, Filter, PageDraft, PageNo, ProjectNo, Result, Weights, set_apart};
use lore_page::{Value, fold};
use rusqlite::params;

use super::{SqliteStore, failed};

/// The weight of each column in the order of the table; the last, of filter tokens, never scores.
fn column_weights(weights: Weights) -> String {
    let Weights { aliases, headings } = weights;
    format!("10.0, {aliases:.1}, {headings:.1}, 3.0, 2.0, 1.0, 1.0, 0.0")
}

/// The condition that ranks by other weights than the table's own.
pub(super) fn ranked_by(weights: Weights) -> String {
    match weights == Weights::default() {
        true => String::new(),
        false => format!("AND rank MATCH 'bm25({})'", column_weights(weights)),
    }
}

/// What every filter token begins with.
const TOKEN: char = '9';

/// The columns that hold words.
const WORDS: &str = "{title aliases headings tags summary truth timeline}";

impl SqliteStore {
    /// Makes a project's table.
    pub(super) fn make_fts(&self, project: ProjectNo) -> Result<()> {
        let weights = column_weights(Weights::default());
        let make = format!(
            "CREATE VIRTUAL TABLE IF NOT EXISTS fts_{project} USING fts5(
               title, aliases, headings, tags, summary, truth, timeline, filter,
               content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2');
             INSERT INTO fts_{project}(fts_{project}, rank) VALUES ('rank', 'bm25({weights})');"
        );
        self.connection.execute_batch(&make).map_err(failed("made the full-text table"))
    }

    /// Makes the table of every project there is.
    pub(super) fn remake_fts(&self) -> Result<()> {
        let mut statement =
            self.connection.prepare("SELECT number FROM project").map_err(failed("listed its projects"))?;
        let projects: Vec<ProjectNo> = statement
            .query_map([], |row| row.get(0))
            .and_then(Iterator::collect)
            .map_err(failed("listed its projects"))?;
        projects.into_iter().try_for_each(|project| self.make_fts(project))
    }

    /// Writes a page's words: kept until the transaction ends, then given to FTS5 all at once. Between other
    /// statements FTS5 would write each page to the disk by itself, which triples the cost of a large sync.
    pub(super) fn put_fts(&self, project: ProjectNo, number: PageNo, page: &PageDraft<'_>) -> Result<()> {
        let text = &page.text;
        let columns = [
            set_apart(&page.row.title).into_owned(),
            set_apart(&text.aliases).into_owned(),
            set_apart(&text.headings).into_owned(),
            set_apart(&text.tags).into_owned(),
            set_apart(page.row.summary.as_deref().unwrap_or_default()).into_owned(),
            set_apart(text.truth).into_owned(),
            set_apart(text.timeline).into_owned(),
            page_tokens(page),
        ];
        self.words.borrow_mut().insert(number, Words { project, columns });
        if self.connection.is_autocommit() { self.flush_words() } else { Ok(()) }
    }

    /// Gives FTS5 the words that wait.
    pub(super) fn flush_words(&self) -> Result<()> {
        for (number, words) in std::mem::take(&mut *self.words.borrow_mut()) {
            let Words {
                project,
                columns: [title, aliases, headings, tags, summary, truth, timeline, filter],
            } = words;
            let insert = format!(
                "INSERT INTO fts_{project}(rowid, title, aliases, headings, tags, summary, truth, timeline, filter)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"
            );
            let values = params![number, title, aliases, headings, tags, summary, truth, timeline, filter];
            self.run("wrote a page's words", &insert, values)?;
        }
        Ok(())
    }

    /// Takes a page's words out.
    pub(super) fn remove_fts(&self, project: ProjectNo, number: PageNo) -> Result<()> {
        self.words.borrow_mut().remove(&number);
        self.run("removed a page's words", &format!("DELETE FROM fts_{project} WHERE rowid = ?1"), [number])
            .map(drop)
    }
}

/// A page's words by column, and the project whose table they belong to.
pub(super) struct Words {
    pub(super) project: ProjectNo,
    columns: [String; 8],
}

/// The query in FTS5's syntax, filters included.
pub(super) fn render(expression: &Expression, filter: &Filter) -> String {
    let mut parts = vec![render_in_words(expression)];
    if !filter.kinds.is_empty() {
        let kinds: Vec<String> = filter.kinds.iter().map(|kind| token('1', kind)).collect();
        parts.push(format!("filter : ({})", kinds.join(" OR ")));
    }
    let tags = filter.tags.iter().map(|tag| token('2', tag));
    let status = filter.status.iter().map(|status| token('3', status));
    let wing = filter.wing.iter().map(|wing| token('5', wing));
    let properties = filter.properties.iter().map(|(key, value)| token('6', &property(key, value)));
    parts.extend(tags.chain(status).chain(wing).chain(properties).map(|token| format!("filter : {token}")));
    if let Some(folder) = filter.path.as_deref().and_then(|path| path.strip_suffix('/')) {
        parts.push(format!("filter : {}", exact_token('4', folder)));
    }
    parts.join(" AND ")
}

/// The words alone, wherever they stand but among the filter tokens. FTS5 is told so only where a word could be the
/// beginning of such a token: to choose among columns costs a tenth of a search.
pub(super) fn render_in_words(expression: &Expression) -> String {
    let words = render_words(expression);
    if like_a_token(expression) { format!("{WORDS} : ({words})") } else { words }
}

fn like_a_token(expression: &Expression) -> bool {
    match expression {
        Expression::Phrase(text) | Expression::Prefix(text) => text.contains(TOKEN),
        Expression::All(all) | Expression::Any(all) | Expression::Telling(all) => {
            all.iter().any(like_a_token)
        }
        Expression::Without(wanted, unwanted) => like_a_token(wanted) || like_a_token(unwanted),
    }
}

fn render_words(expression: &Expression) -> String {
    let join = |all: &[Expression], with: &str| all.iter().map(render_words).collect::<Vec<_>>().join(with);
    match expression {
        Expression::Phrase(text) if plain(text) => text.clone(),
        Expression::Phrase(text) => quoted(text),
        Expression::Prefix(text) if plain(text) => format!("{text}*"),
        Expression::Prefix(text) => format!("{}*", quoted(text)),
        Expression::All(all) => format!("({})", join(all, " AND ")),
        Expression::Any(any) | Expression::Telling(any) => format!("({})", join(any, " OR ")),
        Expression::Without(wanted, unwanted) => {
            format!("({} NOT {})", render_words(wanted), render_words(unwanted))
        }
    }
}

/// Whether FTS5 takes the word without quotes: not one of its operators, nothing but letters and digits.
fn plain(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric()) && !matches!(text, "AND" | "OR" | "NOT" | "NEAR")
}

fn quoted(text: &str) -> String {
    // A NUL would end the query for SQLite.
    format!("\"{}\"", set_apart(&text.replace('\0', " ")).replace('"', "\"\""))
}

fn page_tokens(page: &PageDraft<'_>) -> String {
    let row = &page.row;
    let mut tokens = vec![token('1', &row.kind), token('5', &row.wing)];
    tokens.extend(row.tags.iter().map(|tag| token('2', tag)));
    tokens.extend(row.status.iter().map(|status| token('3', status)));
    tokens.extend(row.path.match_indices('/').map(|(at, _)| exact_token('4', &row.path[..at])));
    for (key, value) in row.properties.iter() {
        property_values(value, &mut |value| tokens.push(token('6', &property(key, value))));
    }
    tokens.join(" ")
}

/// Calls back with each scalar of a value.
pub(super) fn property_values(value: &Value, each: &mut dyn FnMut(&str)) {
    match value {
        Value::Text(text) => each(text),
        Value::List(items) => items.iter().for_each(|item| property_values(item, each)),
        Value::Map(_) => {}
    }
}

/// The one form in which a property and its value are compared.
pub(super) fn property(key: &str, value: &str) -> String {
    format!("{}={}", fold(key), fold(value))
}

/// A token for a text whose case does not matter.
fn token(kind: char, text: &str) -> String {
    exact_token(kind, &fold(text))
}

/// A token of digits only: the stemmer leaves those alone. 64-bit FNV-1a of the text.
fn exact_token(kind: char, text: &str) -> String {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{TOKEN}{kind}{hash:020}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(query: &str, expected: &str) {
        let strict = lore_engine::prepare(query).strict.expect("words");
        assert_eq!(render_words(&strict), expected);
    }

    #[test]
    fn terms_are_quoted_where_fts5_needs_it() {
        check("machine-learning basics", "(\"machine-learning\" AND basics*)");
        check("say \"hello world\"", "(say AND \"hello world\")");
        check("a\"b NEAR", "(\"a\"\"b\" AND \"NEAR\"*)");
        check("世界", "\" 世  界 \"");
        check("cats NOT dogs", "(cats NOT dogs)");
    }

    #[test]
    fn what_could_be_a_filter_token_is_looked_for_among_the_words_alone() {
        let rendered = |query: &str| render_in_words(&lore_engine::prepare(query).strict.expect("words"));
        assert_eq!(rendered("room 912"), format!("{WORDS} : ((room AND 912*))"));
        assert_eq!(rendered("room 812"), "(room AND 812*)");
    }

    #[test]
    fn filters_become_tokens_beside_the_words() {
        let filter =
            Filter { kinds: vec!["Person".into()], path: Some("people/".into()), ..Default::default() };
        let rendered = render(&Expression::Phrase("x".into()), &filter);
        assert_eq!(
            rendered,
            format!("x AND filter : ({}) AND filter : {}", token('1', "person"), token('4', "people"))
        );
    }
}
