//! Full-text retrieval: the terms of a query, the weights of the columns, and the terms that are too common to count.

use lore_ports::{DocumentFrequencies, Expression, TextHit, TextQuery, Weights};
use lore_text::{Language, search_terms};

use crate::context::VaultContext;
use crate::error::Result;

/// How much a match counts in each column.
pub const WEIGHTS: Weights =
    Weights { title: 10.0, aliases: 8.0, headings: 3.0, tags: 3.0, summary: 2.0, truth: 1.0, timeline: 1.0 };

/// Share of the pages beyond which a term is common: it says nothing about a page, and ranking every page by it would
/// dominate the cost of a query.
const COMMON_SHARE: f64 = 0.5;

/// A vault with fewer pages is ranked completely: it costs nothing, and each page may be relevant.
const RANK_ALL_BELOW: u64 = 200;

/// Returns the pages that match a query, best first. Alternatives that occur on most pages are dropped.
pub fn full_text(context: &VaultContext, query: &TextQuery<'_>) -> Result<Vec<TextHit>> {
    let terms = in_terms(query.expression);
    let rare = without_common(context, &terms)?;
    let expression = rare.as_ref().unwrap_or(&terms);
    Ok(context.store().search(context.project(), &TextQuery { expression, ..*query })?)
}

/// Returns the number of pages with each of these terms. Counts beyond the share of common terms are not exact.
pub(in crate::search) fn term_frequencies(
    context: &VaultContext,
    terms: &[Expression],
) -> Result<DocumentFrequencies> {
    let terms: Vec<Expression> = terms.iter().map(in_terms).collect();
    let terms: Vec<&Expression> = terms.iter().collect();
    Ok(context.store().document_frequencies(context.project(), &terms, COMMON_SHARE)?)
}

/// Turns the words of an expression into terms, as the index has them.
fn in_terms(expression: &Expression) -> Expression {
    let terms = |text: &str| search_terms(text, Language::English);
    let each = |all: &[Expression]| all.iter().map(in_terms).collect();
    match expression {
        Expression::Phrase(text) => Expression::Phrase(terms(text)),
        Expression::Prefix(text) => Expression::Prefix(terms(text)),
        Expression::All(all) => Expression::All(each(all)),
        Expression::Any(all) => Expression::Any(each(all)),
        Expression::AnyRare(all) => Expression::AnyRare(each(all)),
        Expression::Without(wanted, unwanted) => {
            Expression::Without(Box::new(in_terms(wanted)), Box::new(in_terms(unwanted)))
        }
    }
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
