//! Restricts a review to the pages of a namespace.

use std::collections::BTreeSet;

use lore_engine::{Result, VaultContext};
use lore_ports::{Filter, Namespace, Order, Window};

use super::Curation;

impl Curation {
    /// Keeps what is about pages of a namespace. Of likely duplicates, both pages must be in it; unanswered questions and
    /// tags are the vault's and left out.
    pub fn restrict(&mut self, context: &VaultContext, namespace: &Namespace) -> Result<()> {
        let filter = Filter { namespace: Some(namespace.clone()), ..Filter::default() };
        let all = Window { limit: i64::MAX as usize, offset: 0 };
        let pages = context.store().list(context.project(), &filter, Order::Title, all)?;
        let pages: BTreeSet<String> = pages.into_iter().map(|page| page.path).collect();
        let has = |path: &String| pages.contains(path);
        let is_below = |path: &String| namespace.prefixes.iter().any(|prefix| path.starts_with(prefix));
        self.pages = pages.len() as u64;
        self.duplicates.retain(|(one, other, _)| has(one) && has(other));
        self.orphans.retain(has);
        self.untouched.retain(has);
        for list in [&mut self.contested, &mut self.superseded, &mut self.stale] {
            list.retain(|(path, _)| has(path));
        }
        self.findings.retain(|finding| finding.places.iter().any(|place| has(&place.path)));
        self.missing_links.retain(|missing| has(&missing.path));
        self.broken_links.retain(|link| has(&link.path));
        self.broad.retain(|(path, _)| has(path));
        self.unused_captures.retain(is_below);
        self.large_captures.retain(|(path, _)| is_below(path));
        self.gaps.clear();
        self.tags.clear();
        Ok(())
    }
}
