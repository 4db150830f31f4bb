//! Full-text expressions, independent of any database's syntax.

/// What a page's text must contain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expression {
    /// These words, adjacent and in this order.
    Phrase(String),
    /// A word with this prefix.
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
