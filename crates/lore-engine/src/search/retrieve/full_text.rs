//! Full-text retrieval: the terms of a query, the weights of the columns, and the terms that are too common to count.

use lore_ports::{DocumentFrequencies, Expression, LabelKind, TextHit, TextQuery, Weights};
use lore_text::{Language, query_terms, search_terms};

use crate::context::VaultContext;
use crate::error::Result;

/// How much a match counts in each column.
pub const WEIGHTS: Weights =
    Weights { title: 10.0, aliases: 8.0, headings: 3.0, tags: 3.0, summary: 2.0, truth: 1.0, timeline: 1.0 };

/// Share of the pages beyond which a term is common: it says nothing about a page, and ranking every page by it would
/// dominate the cost of a query.
const COMMON_SHARE: f64 = 0.5;

/// Maximum number of languages besides English in which the words of a query are looked up: the most frequent ones.
const MAX_LANGUAGES: usize = 4;

/// A vault with fewer pages is ranked completely: it costs nothing, and each page may be relevant.
const RANK_ALL_BELOW: u64 = 200;

/// Returns the pages that match a query, best first. Alternatives that occur on most pages are dropped.
pub fn full_text(context: &VaultContext, query: &TextQuery<'_>) -> Result<Vec<TextHit>> {
    let terms = in_terms(query.expression, &languages(context)?);
    let rare = without_common(context, &terms)?;
    let expression = rare.as_ref().unwrap_or(&terms);
    Ok(context.store().search(context.project(), &TextQuery { expression, ..*query })?)
}

/// Returns the number of pages with each of these terms. Counts beyond the share of common terms are not exact.
pub(in crate::search) fn term_frequencies(
    context: &VaultContext,
    terms: &[Expression],
) -> Result<DocumentFrequencies> {
    let languages = languages(context)?;
    let terms: Vec<Expression> = terms.iter().map(|term| in_terms(term, &languages)).collect();
    let terms: Vec<&Expression> = terms.iter().collect();
    Ok(context.store().document_frequencies(context.project(), &terms, COMMON_SHARE)?)
}

/// Returns the languages of the pages of a vault, English first: most texts whose language is not known are in it.
pub(in crate::search) fn languages(context: &VaultContext) -> Result<Vec<Language>> {
    let others = context.store().labels(context.project(), LabelKind::Language)?;
    let others = others.iter().filter_map(|(code, _)| Language::from_code(code)).take(MAX_LANGUAGES);
    Ok([Language::English].into_iter().chain(others).collect())
}

/// Turns the words of an expression into terms, as the index has them: each word has one in every language of the vault.
fn in_terms(expression: &Expression, languages: &[Language]) -> Expression {
    let each = |all: &[Expression]| all.iter().map(|one| in_terms(one, languages)).collect();
    match expression {
        Expression::Phrase(text) => any_term(text, languages, Expression::Phrase),
        Expression::Prefix(text) => any_term(text, languages, Expression::Prefix),
        Expression::All(all) => Expression::All(each(all)),
        Expression::Any(all) => Expression::Any(each(all)),
        Expression::AnyRare(all) => Expression::AnyRare(each(all)),
        Expression::Without(wanted, unwanted) => Expression::Without(
            Box::new(in_terms(wanted, languages)),
            Box::new(in_terms(unwanted, languages)),
        ),
    }
}

fn any_term(text: &str, languages: &[Language], make: fn(String) -> Expression) -> Expression {
    let [language] = languages else {
        let mut terms: Vec<String> = Vec::new();
        for term in languages.iter().flat_map(|language| query_terms(text, *language)) {
            if !terms.contains(&term) {
                terms.push(term);
            }
        }
        return match terms.len() {
            1 => make(terms.remove(0)),
            _ => Expression::Any(terms.into_iter().map(make).collect()),
        };
    };
    make(search_terms(text, *language))
}

/// Returns the expression without the alternatives that are too common; `None` if it stays as it is.
fn without_common(context: &VaultContext, expression: &Expression) -> Result<Option<Expression>> {
    let any = match expression {
        Expression::Without(wanted, unwanted) => {
            let wanted = without_common(context, wanted)?;
            return Ok(wanted.map(|wanted| Expression::Without(Box::new(wanted), unwanted.clone())));
        }
        Expression::AnyRare(any) if any.len() > 1 => any,
        _ => return Ok(None),
    };
    let terms: Vec<&Expression> = any.iter().collect();
    let found = context.store().document_frequencies(context.project(), &terms, COMMON_SHARE)?;
    if found.pages < RANK_ALL_BELOW {
        return Ok(None);
    }
    let common = |count: u64| count as f64 > found.pages as f64 * COMMON_SHARE;
    let rare: Vec<Expression> = any
        .iter()
        .zip(&found.counts)
        .filter(|(_, count)| !common(**count))
        .map(|(term, _)| term.clone())
        .collect();
    Ok((!rare.is_empty() && rare.len() < any.len()).then_some(Expression::AnyRare(rare)))
}
