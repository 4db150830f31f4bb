//! Sign codes in blobs, one block of slots per blob. Changes are buffered until the transaction ends, so that a blob is
//! written once however many of its chunks changed.

use std::collections::BTreeMap;

use lore_ports::{ModelNo, ProjectNo, Result};
use rusqlite::params;

use crate::SqliteStore;

/// Slots per blob: few enough that changing one page is cheap, enough that a scan reads few rows.
pub(super) const BLOCK: i64 = 1024;

/// Buffered codes, by blob and position in it.
pub(super) type Codes = BTreeMap<CodeSlot, BTreeMap<usize, Vec<u8>>>;

/// Identifies a blob.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CodeSlot {
    pub(super) project: ProjectNo,
    pub(super) model: ModelNo,
    pub(super) block: i64,
}

impl SqliteStore {
    /// Buffers the code of a slot; written when the transaction ends.
    pub(super) fn put_code(&self, project: ProjectNo, model: ModelNo, slot: i64, code: Vec<u8>) {
        let place = CodeSlot { project, model, block: slot / BLOCK };
        let within = (slot % BLOCK) as usize;
        self.codes.borrow_mut().entry(place).or_default().insert(within, code);
    }

    /// Writes the buffered codes.
    pub(super) fn flush_codes(&self) -> Result<()> {
        for (place, changes) in std::mem::take(&mut *self.codes.borrow_mut()) {
            let CodeSlot { project, model, block } = place;
            let sql = "SELECT codes FROM code WHERE project = ?1 AND model = ?2 AND block = ?3";
            let known = self.one("read sign codes", sql, params![project, model, block], |row| row.get(0))?;
            let mut codes: Vec<u8> = known.unwrap_or_default();
            for (within, code) in changes {
                let (start, end) = (within * code.len(), (within + 1) * code.len());
                codes.resize(codes.len().max(end), 0);
                codes[start..end].copy_from_slice(&code);
            }
            let sql = "INSERT INTO code(project, model, block, codes) VALUES (?1, ?2, ?3, ?4)
                       ON CONFLICT(project, model, block) DO UPDATE SET codes = excluded.codes";
            self.run("write sign codes", sql, params![project, model, block, codes])?;
        }
        Ok(())
    }
}
