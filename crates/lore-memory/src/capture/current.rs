//! Whether a comparison with the pages of a vault is still current when the vault is locked.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use lore_engine::{Error, Precondition, Result, VaultContext};
use lore_ports::{Filter, Order, PageNo, Window};
use lore_text::ContentHash;

use super::similar::has_same_words;

/// Number of pages by which a change of the vault is noticed: those changed last.
const NEWEST: usize = 8;

/// What must hold for a comparison to be current.
#[derive(Clone)]
enum Condition {
    /// Nothing: similar pages are accepted.
    Nothing,
    /// No page was written since.
    Unchanged(Vec<(PageNo, ContentHash)>),
    /// No page has the same words.
    NoSameWords { title: String, text: String },
}

/// The pages as they were when they were compared.
#[derive(Clone)]
pub(super) struct Current {
    filter: Filter,
    condition: Condition,
    outdated: Arc<AtomicBool>,
}

impl Current {
    /// Returns the current state, before a comparison.
    pub(super) fn new(context: &VaultContext, filter: &Filter) -> Result<Current> {
        let condition = Condition::Unchanged(newest(context, filter)?);
        Ok(Current { filter: filter.clone(), condition, outdated: Arc::default() })
    }

    /// Accepts whatever other writers do.
    pub(super) fn whatever_happens(self) -> Current {
        Current { condition: Condition::Nothing, ..self }
    }

    /// Accepts other pages, but none with the same words as this text. This needs no model.
    pub(super) fn unless_the_words_are_there(self, title: &str, text: &str) -> Current {
        let condition = Condition::NoSameWords { title: title.to_owned(), text: text.to_owned() };
        Current { condition, ..self }
    }

    /// Returns whether a write found the comparison to be outdated.
    pub(super) fn is_outdated(&self) -> bool {
        self.outdated.load(Ordering::Relaxed)
    }

    /// Returns the check to run under the lock.
    pub(super) fn precondition(&self) -> Precondition {
        let current = self.clone();
        Precondition(Arc::new(move |context| current.check(context)))
    }

    fn check(&self, context: &VaultContext) -> Result<()> {
        let holds = match &self.condition {
            Condition::Nothing => true,
            Condition::Unchanged(known) => newest(context, &self.filter)? == *known,
            Condition::NoSameWords { title, text } => !has_same_words(context, title, text, &self.filter)?,
        };
        if holds {
            return Ok(());
        }
        self.outdated.store(true, Ordering::Relaxed);
        Err(Error::Conflict { slug: "the vault".into(), expected: 0, current: 1 })
    }
}

fn newest(context: &VaultContext, filter: &Filter) -> Result<Vec<(PageNo, ContentHash)>> {
    let window = Window { limit: NEWEST, offset: 0 };
    let rows = context.store().list(context.project(), filter, Order::Updated, window)?;
    Ok(rows.into_iter().map(|row| (row.number, row.hash)).collect())
}
