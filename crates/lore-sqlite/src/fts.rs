//! Full-text search: one FTS5 table per project, so that word frequencies are per vault and a search never scans
//! another project.
//!
//! The engine passes terms. The tokenizer `ascii` does nothing but split them at the spaces.
//! The tables store no copy of the text; passages are read from the files. The last column contains a token for each
//! type, tag, status, folder and property of a page, so that these filters narrow the search inside FTS5 instead of
//! being checked row by row.

use lore_ports::{Error, Expression, Filter, Label, PageDraft, PageNo, ProjectNo, Result, Weights};
use rusqlite::params;

use crate::{SqliteStore, failed};

/// Returns the ranking function with these weights in column order; the last column, with the filter tokens, never
/// scores.
pub(super) fn ranking(weights: &Weights) -> String {
    let Weights { title, aliases, headings, tags, summary, truth, timeline } = weights;
    format!(
        "bm25({title:.1}, {aliases:.1}, {headings:.1}, {tags:.1}, {summary:.1}, {truth:.1}, {timeline:.1}, 0.0)"
    )
}

/// The first character of every filter token.
const TOKEN: char = '9';

/// The columns that contain words.
const WORDS: &str = "{title aliases headings tags summary truth timeline}";

impl SqliteStore {
    /// Creates a project's table.
    pub(super) fn make_fts(&self, project: ProjectNo) -> Result<()> {
        let make = format!(
            "CREATE VIRTUAL TABLE IF NOT EXISTS fts_{project} USING fts5(
               title, aliases, headings, tags, summary, truth, timeline, filter,
               content='', contentless_delete=1, tokenize='ascii');"
        );
        self.connection.execute_batch(&make).map_err(failed("create the full-text table"))
    }

    /// Creates the tables of all projects.
    pub(super) fn remake_fts(&self) -> Result<()> {
        let mut statement =
            self.connection.prepare("SELECT number FROM project").map_err(failed("list projects"))?;
        let projects: Vec<ProjectNo> = statement
            .query_map([], |row| row.get(0))
            .and_then(Iterator::collect)
            .map_err(failed("list projects"))?;
        projects.into_iter().try_for_each(|project| self.make_fts(project))
    }

    /// Buffers a page's text until the transaction ends, then writes it to FTS5 in one go. Interleaved with other
    /// statements, FTS5 would flush each page to disk separately, which triples the cost of a large sync.
    pub(super) fn put_fts(&self, project: ProjectNo, number: PageNo, page: &PageDraft) -> Result<()> {
        let text = &page.text;
        let columns = [
            text.title.clone(),
            text.aliases.clone(),
            text.headings.clone(),
            text.tags.clone(),
            text.summary.clone(),
            text.truth.clone(),
            text.timeline.clone(),
            page_tokens(page),
        ];
        self.words.borrow_mut().insert(number, Words { project, columns });
        if self.connection.is_autocommit() { self.flush_words() } else { Ok(()) }
    }

    /// Writes the buffered text to FTS5.
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
            self.run("write a page to the full-text table", &insert, values)?;
        }
        Ok(())
    }

    /// Removes a page from the full-text table.
    pub(super) fn remove_fts(&self, project: ProjectNo, number: PageNo) -> Result<()> {
        self.words.borrow_mut().remove(&number);
        self.run(
            "remove a page from the full-text table",
            &format!("DELETE FROM fts_{project} WHERE rowid = ?1"),
            [number],
        )
        .map(drop)
    }
}

/// A page's text by column, and its project.
pub(super) struct Words {
    pub(super) project: ProjectNo,
    columns: [String; 8],
}

/// Returns whether FTS5 could not parse an expression. User input must never be an error; such an expression matches
/// nothing.
pub(super) fn is_syntax_error(error: &Error) -> bool {
    matches!(error, Error::Index { message, .. } if message.contains("fts5:"))
}

/// Renders a query in FTS5 syntax, including filters.
pub(super) fn render(expression: &Expression, filter: &Filter) -> String {
    let mut parts = vec![render_in_words(expression)];
    for (label, values) in filter.labels() {
        let tokens: Vec<String> = values.iter().map(|value| token(label_kind(label), value)).collect();
        parts.push(match tokens.as_slice() {
            [one] => format!("filter : {one}"),
            many => format!("filter : ({})", many.join(" OR ")),
        });
    }
    if let Some(folder) = filter.path.as_deref().and_then(|path| path.strip_suffix('/')) {
        parts.push(format!("filter : {}", token(FOLDER, folder)));
    }
    parts.join(" AND ")
}

/// Renders the words alone. They must not match filter tokens; FTS5 is restricted to the word columns only if a word
/// could be the beginning of a filter token, because a column filter costs a tenth of a search.
pub(super) fn render_in_words(expression: &Expression) -> String {
    let words = render_words(expression);
    if like_a_token(expression) { format!("{WORDS} : ({words})") } else { words }
}

fn like_a_token(expression: &Expression) -> bool {
    match expression {
        Expression::Phrase(text) | Expression::Prefix(text) => text.contains(TOKEN),
        Expression::All(all) | Expression::Any(all) | Expression::AnyRare(all) => {
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
        Expression::Any(any) | Expression::AnyRare(any) => format!("({})", join(any, " OR ")),
        Expression::Without(wanted, unwanted) => {
            format!("({} NOT {})", render_words(wanted), render_words(unwanted))
        }
    }
}

/// Returns whether FTS5 accepts the word without quotes: only letters and digits, and not one of its operators.
fn plain(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && !matches!(text, "" | "AND" | "OR" | "NOT" | "NEAR")
}

fn quoted(text: &str) -> String {
    // SQLite would end the query at a NUL.
    format!("\"{}\"", text.replace('\0', " ").replace('"', "\"\""))
}

fn page_tokens(page: &PageDraft) -> String {
    let row = &page.row;
    let labels = row.labels().into_iter().map(|(label, value)| token(label_kind(label), &value));
    let folders = row.path.match_indices('/').map(|(at, _)| token(FOLDER, &row.path[..at]));
    labels.chain(folders).collect::<Vec<String>>().join(" ")
}

/// The kind of the token of a folder.
const FOLDER: char = '4';

/// Returns the kind of the token of a label.
fn label_kind(label: Label) -> char {
    match label {
        Label::Type => '1',
        Label::Tag => '2',
        Label::Status => '3',
        Label::Wing => '5',
        Label::Property => '6',
    }
}

/// Returns a token of digits only: the 64-bit FNV-1a hash of the text.
fn token(kind: char, text: &str) -> String {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{TOKEN}{kind}{hash:020}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(text: &str) -> Expression {
        Expression::Phrase(text.into())
    }

    fn prefix(text: &str) -> Expression {
        Expression::Prefix(text.into())
    }

    #[track_caller]
    fn check(expression: Expression, expected: &str) {
        assert_eq!(render_words(&expression), expected);
    }

    #[test]
    fn terms_are_quoted_where_fts5_needs_it() {
        let all = |first: &str, last: Expression| Expression::All(vec![word(first), last]);
        check(all("machine-learning", prefix("basics")), "(\"machine-learning\" AND basics*)");
        check(all("say", word("hello world")), "(say AND \"hello world\")");
        check(all("a\"b", prefix("NEAR")), "(\"a\"\"b\" AND \"NEAR\"*)");
        check(word(" 世  界 "), "\" 世  界 \"");
        check(Expression::Without(Box::new(word("cats")), Box::new(word("dogs"))), "(cats NOT dogs)");
        check(Expression::AnyRare(vec![word("cats"), word("dogs")]), "(cats OR dogs)");
    }

    #[test]
    fn words_like_filter_tokens_are_restricted_to_word_columns() {
        let rendered = |last: &str| render_in_words(&Expression::All(vec![word("room"), prefix(last)]));
        assert_eq!(rendered("912"), format!("{WORDS} : ((room AND 912*))"));
        assert_eq!(rendered("812"), "(room AND 812*)");
    }

    #[test]
    fn filters_are_rendered_as_tokens() {
        let filter =
            Filter { kinds: vec!["Person".into()], path: Some("people/".into()), ..Default::default() };
        let rendered = render(&Expression::Phrase("x".into()), &filter);
        assert_eq!(
            rendered,
            format!("x AND filter : {} AND filter : {}", token('1', "person"), token('4', "people"))
        );
    }
}
