//! Mean vectors of whole pages, from the vectors of their chunks.

use std::collections::BTreeMap;

use lore_ports::{ModelNo, PageNo, ProjectNo, Result};
use lore_text::sign_codes::add_to;
use rusqlite::params;

use crate::SqliteStore;

impl SqliteStore {
    pub(super) fn mean_vectors(
        &self,
        project: ProjectNo,
        model: ModelNo,
        pages: &[PageNo],
    ) -> Result<Vec<(PageNo, Vec<f32>)>> {
        let dimensions = self.dimensions(model)?;
        let mut sums: BTreeMap<PageNo, Vec<f32>> = BTreeMap::new();
        // The unary plus keeps SQLite from scanning all chunks of the project for every page.
        let sql = "SELECT c.page, v.vector FROM json_each(?2) s
             CROSS JOIN chunk c ON c.page = s.value AND +c.project = ?1
             CROSS JOIN vector v ON v.model = ?3 AND v.hash = c.hash";
        let list = serde_json::to_string(pages).unwrap_or_default();
        self.each("read the vectors of pages", sql, params![project, list, model], |row| {
            let sum = sums.entry(row.get(0)?).or_insert_with(|| vec![0.0; dimensions]);
            add_to(sum, row.get_ref(1)?.as_blob()?);
            Ok(())
        })?;
        // The sum and the mean have the same direction.
        let mut means: Vec<(PageNo, Vec<f32>)> =
            sums.into_iter().map(|(page, sum)| (page, of_unit_length(sum))).collect();
        means.retain(|(_, vector)| vector.iter().any(|number| *number != 0.0));
        Ok(means)
    }
}

fn of_unit_length(mut vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|number| *number /= length);
    }
    vector
}
