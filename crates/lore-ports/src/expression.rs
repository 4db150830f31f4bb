//! Full-text expressions, independent of any database's syntax.
//!
//! The engine builds them from the words of a query. Before a store sees them, each text becomes the terms that
//! [`lore_text::search_terms`] gives, separated by spaces, like the terms of the pages.

/// What a page's text must contain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expression {
    /// These words, adjacent and in this order. Without any it matches nothing.
    Phrase(String),
    /// The same, where the last is the prefix of a word.
    Prefix(String),
    /// All of these.
    All(Vec<Expression>),
    /// Any of these.
    Any(Vec<Expression>),
    /// Any of these that distinguish pages. The engine drops those that most pages contain; a store treats the rest like
    /// [`Expression::Any`].
    AnyRare(Vec<Expression>),
    /// The first without the second.
    Without(Box<Expression>, Box<Expression>),
}
