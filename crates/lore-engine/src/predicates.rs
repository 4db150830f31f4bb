//! Which facts exclude each other: the one answer for `check`, the guard, `fact-add` and rewrites.
//!
//! A predicate has one value at a time unless the policy declares otherwise, its words say that it has several (a
//! plural, an event, a word such as `knows`), or the vault's own pages give it several values again and again.
//! Synonyms have one topic: `employer` and `works_at`, `hq` and `headquarters`.

mod rule;
mod words;

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use lore_ports::{PageNo, StatementFilter, StatementKind, StatementRow};
use lore_text::fold;

use crate::context::VaultContext;
use crate::error::Result;
use crate::policy::Policy;

pub(crate) use rule::says_past;
use rule::{Basis, default_rule};

/// Minimum number of subjects with several values after which a predicate has several.
const SUBJECTS: usize = 3;

/// Minimum share of its subjects, as a divisor.
const SHARE: usize = 3;

/// Number of values on one page that makes a list.
const LIST: usize = 4;

/// Decides which facts of a vault exclude each other.
pub struct ValueRules<'c> {
    context: &'c VaultContext,
    policy: Arc<Policy>,
    /// Topics that have several values on the vault's own pages. Read when a predicate needs it.
    lists: OnceCell<HashSet<String>>,
}

impl<'c> ValueRules<'c> {
    /// Creates the rules of a vault.
    pub fn new(context: &'c VaultContext) -> ValueRules<'c> {
        ValueRules { context, policy: context.policy(), lists: OnceCell::new() }
    }

    /// Returns the topic of a fact: two current facts about one subject with the same topic and different objects
    /// exclude each other. None if the predicate can have several values at the same time.
    pub fn topic(&self, predicate: &str, object: &str) -> Result<Option<String>> {
        self.topic_with(predicate, object, || {
            let facts = StatementFilter { kind: Some(StatementKind::Fact), ..StatementFilter::default() };
            let rows = self.context.store().statements(self.context.project(), &facts)?;
            Ok(lists(&rows, &self.context.today()))
        })
    }

    /// Reads the vault's facts from rows that the caller has anyway.
    pub fn observe(&self, facts: &[StatementRow]) {
        self.lists.get_or_init(|| lists(facts, &self.context.today()));
    }

    fn topic_with(
        &self,
        predicate: &str,
        object: &str,
        observed: impl FnOnce() -> Result<HashSet<String>>,
    ) -> Result<Option<String>> {
        let rule = default_rule(predicate, object);
        match (self.policy.facts.declared(predicate), rule.basis) {
            (Some(false), _) | (None, Basis::KnownMany) => Ok(None),
            (Some(true), _) | (None, Basis::KnownOne) => Ok(Some(rule.topic)),
            (None, Basis::Unknown) => {
                if self.lists.get().is_none() {
                    let _ = self.lists.set(observed()?);
                }
                let is_list = self.lists.get().is_some_and(|lists| lists.contains(&rule.topic));
                Ok((!is_list).then_some(rule.topic))
            }
        }
    }
}

/// Returns the topics to which the pages of a vault give several values on purpose: on several subjects, each on one
/// page, or as a long list.
fn lists(facts: &[StatementRow], today: &str) -> HashSet<String> {
    type OnPage<'f> = (PageNo, &'f str);
    let mut values: BTreeMap<String, BTreeMap<OnPage<'_>, BTreeSet<String>>> = BTreeMap::new();
    for row in facts.iter().filter(|row| row.statement.interval.holds_on(today)) {
        let rule = default_rule(&row.statement.predicate, &row.statement.object);
        if rule.basis == Basis::Unknown {
            let subject = (row.page, row.statement.subject.as_deref().unwrap_or_default());
            let subjects = values.entry(rule.topic).or_default();
            subjects.entry(subject).or_default().insert(fold(&row.statement.object));
        }
    }
    let is_list = |subjects: &BTreeMap<OnPage<'_>, BTreeSet<String>>| {
        let several = subjects.values().filter(|values| values.len() > 1).count();
        subjects.values().any(|values| values.len() >= LIST)
            || several >= SUBJECTS && several * SHARE >= subjects.len()
    };
    values.into_iter().filter(|(_, subjects)| is_list(subjects)).map(|(topic, _)| topic).collect()
}
