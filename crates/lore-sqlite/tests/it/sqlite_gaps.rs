//! The constraints of the gap table hold against raw SQL too.

use lore_ports::conformance::sample::open_project;
use lore_sqlite::open;
use rusqlite::Connection;
use tempfile::TempDir;

#[test]
fn raw_sql_cannot_set_gap_text_without_approval() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("lore.db");
    let project = open_project(&open(&path).unwrap().store, "p").number;
    let raw = Connection::open(&path).unwrap();
    let insert = format!(
        "INSERT INTO gap(project, id, query_hash, detected_at) VALUES ({project}, 1, zeroblob(32), 0)"
    );
    raw.execute(&insert, []).unwrap();
    for change in [
        "query_text = 'who?'",
        "redacted_query = 'who?'",
        "sensitivity = 'external'",
        "sensitivity = 'redacted'",
        "sensitivity = 'public', approved_by = 'ada', approved_at = 1",
        "query_text = 'who?', approved_by = 'ada'",
        "query_text = 'who?', approved_at = 1",
        "query_text = 'who?', approved_by = '', approved_at = 1",
        "approved_by = 'ada'",
        "resolved_at = 1",
        "query_hash = 'who?'",
        "times = 0",
    ] {
        let error = raw.execute(&format!("UPDATE gap SET {change}"), []).unwrap_err().to_string();
        assert!(error.contains("CHECK constraint failed"), "{change}: {error}");
    }
    let allowed =
        "UPDATE gap SET query_text = 'who?', sensitivity = 'external', approved_by = 'ada', approved_at = 1";
    assert_eq!(raw.execute(allowed, []).unwrap(), 1, "allowed with a name and a time");
}
