//! Questions about what came before or after something: "who was CEO of Acme before Ada", "where did Ada live after 2015".

use jiff::civil::Date;
use lore_text::{PartialDate, fold};

use super::question::{Order, RelationQuestion};
use super::{FoundRelation, Words, names_of_page};
use crate::context::VaultContext;
use crate::error::Result;
use crate::search::expression::{Period, asked_period};

/// What the answers came before or after.
pub(super) struct Relative {
    before: bool,
    /// The name or date.
    than: String,
}

/// Splits "before NAME" or "after DATE" off the end of a question.
pub(super) fn split(mut words: Words) -> (Words, Option<Relative>) {
    if let Some((role, relative)) = succession(&words) {
        return (role, Some(relative));
    }
    let at = words.folded.iter().rposition(|word| word == "before" || word == "after");
    let Some(at) = at.filter(|at| *at >= 3 && at + 1 < words.folded.len()) else { return (words, None) };
    let (before, than) = (words.folded[at] == "before", words.folded[at + 1..].join(" "));
    words.folded.truncate(at);
    words.possessive.truncate(at);
    (words, Some(Relative { before, than }))
}

/// Reads "who succeeded Ada as CEO of Acme" and "who took over as CEO of Acme from Ada" as "who was CEO of Acme after Ada".
fn succession(words: &Words) -> Option<(Words, Relative)> {
    let folded = &words.folded;
    let at = |wanted: &str| folded.iter().position(|word| word == wanted);
    let took_over = folded.get(1).is_some_and(|word| word == "took") && at("over") == Some(2);
    let before = match folded.get(1)?.as_str() {
        "succeeded" | "succeeds" | "followed" | "replaced" | "replaces" => false,
        "preceded" | "precedes" => true,
        _ if took_over => false,
        _ => return None,
    };
    let (role, than) = match (at("as")?, at("from").filter(|_| took_over)) {
        (at, Some(from)) if at < from => (at + 1..from, from + 1..folded.len()),
        (at, Some(from)) => (at + 1..folded.len(), from + 1..at),
        (at, None) => (at + 1..folded.len(), 2..at),
    };
    let than = folded.get(than).filter(|than| !than.is_empty())?.join(" ");
    let mut asked = Words { folded: Vec::new(), possessive: Vec::new() };
    asked.push(folded[0].clone(), false);
    asked.push("was".to_owned(), false);
    role.for_each(|at| asked.push(folded[at].clone(), words.possessive[at]));
    Some((asked, Relative { before, than }))
}

impl Relative {
    /// Keeps what began before or after, nearest first; nothing if it is unknown when that was.
    pub(super) fn apply(
        &self,
        context: &VaultContext,
        asked: &mut RelationQuestion,
        found: &mut Vec<FoundRelation>,
        today: Date,
    ) -> Result<()> {
        let Some(than) = self.began(context, found, today)? else {
            found.clear();
            return Ok(());
        };
        asked.order = if self.before { Order::Latest } else { Order::Earliest };
        let first = |one: &FoundRelation| asked.date(one.interval).map(PartialDate::first_day);
        found.retain(|one| match first(one) {
            Some(began) if self.before => began < than,
            Some(began) => began > than,
            None => self.before,
        });
        Ok(())
    }

    /// Returns the day on which that began: a date, or the beginning of the relation of that name.
    fn began(&self, context: &VaultContext, found: &[FoundRelation], today: Date) -> Result<Option<String>> {
        let words: Vec<&str> = self.than.split(' ').collect();
        let dated = asked_period(&words, today).filter(|named| named.words == (0..words.len()));
        if let Some(Period { from, until }) = dated.map(|named| named.period) {
            return Ok(Some(if self.before { from.first_day() } else { until.last_day() }));
        }
        let pages: Vec<_> = found.iter().map(|one| one.page).collect();
        let rows = context.store().pages(context.project(), &pages)?;
        let is_meant = |one: &FoundRelation| {
            let object = one.object.as_ref().map(|object| fold(object.trim_matches(['[', ']'])));
            let names = rows.iter().filter(|row| row.number == one.page).flat_map(names_of_page);
            object.as_ref() == Some(&self.than)
                || object.is_none() && names.into_iter().any(|name| name == self.than)
        };
        let dates = found.iter().filter(|one| is_meant(one)).filter_map(|one| one.interval.from);
        let dates = dates.map(PartialDate::first_day);
        Ok(if self.before { dates.min() } else { dates.max() })
    }
}
