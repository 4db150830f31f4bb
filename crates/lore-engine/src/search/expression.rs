//! Parses a user's query into a search expression. No input is an error.

mod dates;
mod days;
mod habit;
mod matching;
mod past_words;
mod periods;
mod politeness;
mod tense;

use lore_ports::Expression;
use lore_text::{
    Language, folded_words, foreign_stop_words, is_content_word, is_unspaced, is_word_char, pairs, runs,
};

pub(super) use dates::dates_in;
pub(super) use days::{NamedDay, days_in};
pub(super) use matching::{Term, TermCounter, count_terms, matches};
pub(super) use periods::{Period, asked_period, periods_in};
pub(super) use politeness::without_politeness;
pub(super) use tense::{AskedTime, asked_time, asked_time_among};

/// A parsed query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prepared {
    /// Every term as typed: tried first. `None` when the query has no words.
    pub strict: Option<Expression>,
    /// Any of the content words: tried when the strict query finds nothing.
    pub relaxed: Option<Expression>,
    /// The content words in lower case.
    pub terms: Vec<String>,
    /// The one of them that may be a word prefix.
    pub beginning: Option<String>,
    /// The languages in which lines may contain them.
    pub languages: Vec<Language>,
}

/// Maximum number of terms of a query. More would only slow the search.
const TERM_LIMIT: usize = 64;

/// A token of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Word(String),
    Quoted(String),
    And,
    Or,
    Not,
}

/// Parses a query: `"phrases"`, `AND`, `OR`, `NOT` in capitals between terms, and words, of which the last may be a
/// prefix.
pub fn prepare(query: &str) -> Prepared {
    let tokens = without_stray_operators(tokenize(query));
    let (wanted, unwanted) = sides(&tokens);
    let terms = terms(&wanted);
    // One content word among stop words is enough: "what is a loom".
    let relaxed = (wanted.len() > 1 || terms.len() > 1).then(|| {
        let telling = Expression::AnyRare(terms.iter().cloned().map(Expression::Phrase).collect());
        without(telling, unwanted.iter().filter_map(|token| token_expression(token, false)).collect())
    });
    let strict = strict(&tokens);
    let beginning = strict.as_ref().and_then(beginning);
    Prepared { strict, relaxed, terms, beginning, languages: vec![Language::English] }
}

fn tokenize(query: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = query.trim_start();
    while !rest.is_empty() && tokens.len() < TERM_LIMIT {
        if let Some((inside, after)) = rest.strip_prefix('"').and_then(|rest| rest.split_once('"')) {
            tokens.push(Token::Quoted(inside.to_owned()));
            rest = after.trim_start();
            continue;
        }
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        tokens.push(match word {
            "AND" => Token::And,
            "OR" => Token::Or,
            "NOT" => Token::Not,
            word => Token::Word(word.to_owned()),
        });
        rest = after.trim_start();
    }
    tokens.retain(|token| match token {
        Token::Word(text) | Token::Quoted(text) => text.chars().any(char::is_alphanumeric),
        _ => true,
    });
    tokens
}

/// Turns operators that are not between two terms into ordinary words.
fn without_stray_operators(tokens: Vec<Token>) -> Vec<Token> {
    let is_term = |token: Option<&Token>| matches!(token, Some(Token::Word(_) | Token::Quoted(_)));
    let mut kept: Vec<Token> = Vec::with_capacity(tokens.len());
    for (at, token) in tokens.iter().enumerate() {
        let next = tokens.get(at + 1);
        let between = match token {
            Token::And | Token::Or => is_term(kept.last()) && (is_term(next) || next == Some(&Token::Not)),
            // `a AND NOT b` means the same as `a NOT b`.
            Token::Not => (is_term(kept.last()) || kept.last() == Some(&Token::And)) && is_term(next),
            _ => true,
        };
        kept.push(match token {
            _ if between => token.clone(),
            Token::And => Token::Word("AND".into()),
            Token::Or => Token::Word("OR".into()),
            Token::Not => Token::Word("NOT".into()),
            other => other.clone(),
        });
    }
    kept
}

fn beginning(expression: &Expression) -> Option<String> {
    match expression {
        Expression::Prefix(word) => Some(word.to_lowercase()),
        Expression::All(parts) | Expression::Any(parts) | Expression::AnyRare(parts) => {
            parts.iter().find_map(beginning)
        }
        Expression::Without(wanted, _) => beginning(wanted),
        Expression::Phrase(_) => None,
    }
}

/// Splits the terms into wanted ones and those that a NOT excludes.
fn sides(tokens: &[Token]) -> (Vec<Token>, Vec<Token>) {
    let (mut wanted, mut unwanted) = (Vec::new(), Vec::new());
    for (at, token) in tokens.iter().enumerate() {
        let negated = at > 0 && tokens[at - 1] == Token::Not;
        match token {
            Token::Word(_) | Token::Quoted(_) if negated => unwanted.push(token.clone()),
            Token::Word(_) | Token::Quoted(_) => wanted.push(token.clone()),
            Token::And | Token::Or | Token::Not => {}
        }
    }
    (wanted, unwanted)
}

fn token_expression(token: &Token, unfinished: bool) -> Option<Expression> {
    match token {
        Token::Word(word) => term(word, unfinished),
        Token::Quoted(text) => Some(Expression::Phrase(text.clone())),
        Token::And | Token::Or | Token::Not => None,
    }
}

fn without(wanted: Expression, unwanted: Vec<Expression>) -> Expression {
    match one_or(unwanted, Expression::Any) {
        Some(unwanted) => Expression::Without(Box::new(wanted), Box::new(unwanted)),
        None => wanted,
    }
}

fn strict(tokens: &[Token]) -> Option<Expression> {
    let last_word = tokens.iter().rposition(|token| matches!(token, Token::Word(_)));
    let groups: Vec<Expression> = tokens
        .split(|token| *token == Token::Or)
        .scan(0, |start, group| {
            let at = *start;
            *start += group.len() + 1;
            // Only the last word of the query can be unfinished.
            let unfinished =
                last_word.filter(|last| *last + 1 == tokens.len()).and_then(|last| last.checked_sub(at));
            Some(conjunction(group, unfinished))
        })
        .flatten()
        .collect();
    one_or(groups, Expression::Any)
}

fn conjunction(group: &[Token], unfinished: Option<usize>) -> Option<Expression> {
    let (mut wanted, mut unwanted) = (Vec::new(), Vec::new());
    for (at, token) in group.iter().enumerate() {
        if at > 0 && group[at - 1] == Token::Not {
            unwanted.extend(token_expression(token, false));
        } else {
            wanted.extend(token_expression(token, unfinished == Some(at)));
        }
    }
    Some(without(one_or(wanted, Expression::All)?, unwanted))
}

/// Returns the expression of a word as typed. Runs of an unspaced script in it become phrases of their own.
fn term(word: &str, unfinished: bool) -> Option<Expression> {
    let parts = runs(word);
    let count = parts.len();
    let expressions = parts
        .into_iter()
        .enumerate()
        .filter(|(_, part)| part.chars().any(char::is_alphanumeric))
        .map(|(at, part)| {
            let open =
                unfinished && at + 1 == count && part.chars().count() > 1 && !part.chars().any(is_unspaced);
            // A prefix must be one word: an index would split `node.js*` into two.
            if open && part.chars().all(is_word_char) {
                Expression::Prefix(part.to_owned())
            } else {
                Expression::Phrase(part.to_owned())
            }
        })
        .collect();
    one_or(expressions, Expression::All)
}

fn one_or(mut expressions: Vec<Expression>, many: fn(Vec<Expression>) -> Expression) -> Option<Expression> {
    match expressions.len() {
        0 => None,
        1 => expressions.pop(),
        _ => Some(many(expressions)),
    }
}

/// Returns the content words, or all words if there are none.
fn terms(tokens: &[Token]) -> Vec<String> {
    let mut words = Vec::new();
    for token in tokens {
        let (Token::Word(text) | Token::Quoted(text)) = token else { continue };
        for part in text.split_whitespace().flat_map(runs) {
            let part = part.to_lowercase();
            if part.chars().any(is_unspaced) {
                words.extend(pairs(&part).into_iter().map(str::to_owned));
            } else {
                words.extend(members(&part).map(str::to_owned));
            }
        }
    }
    let mut kept: Vec<String> = Vec::new();
    let plain: Vec<String> = words.iter().map(|word| without_accents(word)).collect();
    let foreign = foreign_stop_words(plain.iter().map(String::as_str));
    let is_content: Vec<bool> = plain
        .iter()
        .zip(&words)
        .map(|(plain, word)| match foreign.is_empty() {
            true => is_content_word(word),
            // What is a stop word in English may be a content word in another language.
            false => !foreign.contains(&plain.as_str()),
        })
        .collect();
    let any = is_content.contains(&true);
    for (word, is_content) in words.into_iter().zip(is_content) {
        if (!any || is_content) && !kept.contains(&word) && kept.len() < TERM_LIMIT {
            kept.push(word);
        }
    }
    kept
}

fn without_accents(word: &str) -> String {
    let mut plain = String::new();
    folded_words(word, &mut |part| plain.push_str(part));
    plain
}

/// Splits a word into its parts: `high-speed` has two; the endings that follow an apostrophe are dropped.
fn members(word: &str) -> impl Iterator<Item = &str> {
    let parts: Vec<&str> = word.split(|letter: char| !is_word_char(letter)).collect();
    let several = parts.iter().filter(|part| !part.is_empty()).count() > 1;
    let ending = |part: &str| matches!(part, "s" | "t" | "d" | "m" | "ll" | "re" | "ve");
    parts.into_iter().filter(move |part| !(part.is_empty() || several && ending(part)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render(expression: &Expression) -> String {
        let list = |all: &[Expression], with: &str| all.iter().map(render).collect::<Vec<_>>().join(with);
        match expression {
            Expression::Phrase(text) => format!("'{text}'"),
            Expression::Prefix(text) => format!("{text}*"),
            Expression::All(all) => format!("({})", list(all, " & ")),
            Expression::Any(any) | Expression::AnyRare(any) => format!("({})", list(any, " | ")),
            Expression::Without(wanted, unwanted) => format!("({} - {})", render(wanted), render(unwanted)),
        }
    }

    #[track_caller]
    fn check(query: &str, strict: &str, relaxed: &str) {
        let prepared = prepare(query);
        let shown = |expression: Option<Expression>| expression.as_ref().map(render).unwrap_or_default();
        assert_eq!(
            (shown(prepared.strict).as_str(), shown(prepared.relaxed).as_str()),
            (strict, relaxed),
            "{query}"
        );
    }

    #[test]
    fn last_word_may_be_a_prefix() {
        check(
            "machine-learning basics",
            "('machine-learning' & basics*)",
            "('machine' | 'learning' | 'basics')",
        );
        check("basics", "basics*", "");
        check("node-js", "'node-js'", "('node' | 'js')");
        check("a", "'a'", "");
    }

    #[test]
    fn relaxed_query_drops_stop_words() {
        check(
            "project planning ideas",
            "('project' & 'planning' & ideas*)",
            "('project' | 'planning' | 'ideas')",
        );
        check("Who works at the Lab?", "('Who' & 'works' & 'at' & 'the' & 'Lab?')", "('works' | 'lab')");
        check("What is a loom", "('What' & 'is' & 'a' & loom*)", "('loom')");
        check("to be", "('to' & be*)", "('to' | 'be')");
        check(
            "Ada's well-known looms",
            "('Ada's' & 'well-known' & looms*)",
            "('ada' | 'well' | 'known' | 'looms')",
        );
        check("who'd say", "('who'd' & say*)", "('say')");
    }

    #[test]
    fn operators_apply_only_between_terms() {
        check("cats OR dogs", "('cats' | dogs*)", "('cats' | 'dogs')");
        check("cats AND dogs", "('cats' & dogs*)", "('cats' | 'dogs')");
        check("cats NOT dogs", "('cats' - 'dogs')", "");
        check("a1 AND NOT b1 OR c1", "(('a1' - 'b1') | c1*)", "(('a1' | 'c1') - 'b1')");
        check("AND", "AND*", "");
        check("OR cats", "('OR' & cats*)", "('cats')");
        check("cats NOT", "('cats' & NOT*)", "('cats')");
        check("NOT cats", "('NOT' & cats*)", "('cats')");
        check(
            "cats OR OR dogs",
            "('cats' & 'OR' | dogs*)".replace("'cats' & 'OR' |", "('cats' & 'OR') |").as_str(),
            "('cats' | 'dogs')",
        );
    }

    #[test]
    fn quotes_make_phrases_and_stray_punctuation_is_ignored() {
        check("\"river ai\" board", "('river ai' & board*)", "('river' | 'ai' | 'board')");
        check("\"unbalanced quote", "('\"unbalanced' & quote*)", "('unbalanced' | 'quote')");
        check("title:foo (bar", "('title:foo' & '(bar')", "('title' | 'foo' | 'bar')");
        check("* ^ - \"\" ()", "", "");
        check("", "", "");
    }

    #[test]
    fn unspaced_scripts_become_phrases_then_pairs() {
        check("世界", "'世界'", "");
        check("東京都の天気", "'東京都の天気'", "('東京' | '京都' | '都の' | 'の天' | '天気')");
        check("iPhone手机", "('iPhone' & '手机')", "('iphone' | '手机')");
    }
}
