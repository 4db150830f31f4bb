//! The tables with a column `project`, by what they hold: what is deleted, packed and rebuilt with a project.

/// Derived tables, which are rebuilt from the files.
pub(crate) const DERIVED: [&str; 10] =
    ["page", "name", "label", "link", "statement", "chunk", "free_slot", "pending", "code", "index_time"];

/// Durable tables that a pack takes along.
pub(crate) const LEDGER: [&str; 11] = [
    "version",
    "released_slug",
    "snapshot",
    "identity",
    "former_path",
    "author",
    "finding",
    "gap",
    "import",
    "batch",
    "blob",
];

/// Durable tables that describe this machine.
pub(crate) const LOCAL: [&str; 3] = ["failure", "replica", "project_state"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_of_a_project_is_listed_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = crate::open(&folder.path().join("lore.db")).expect("a database").store;
        let sql = "SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c
                   WHERE m.type = 'table' AND c.name = 'project' ORDER BY m.name";
        let found: Vec<String> = store.all("list tables", sql, [], |row| row.get(0)).expect("tables");
        let mut listed: Vec<&str> = DERIVED.iter().chain(&LEDGER).chain(&LOCAL).copied().collect();
        listed.sort_unstable();
        assert_eq!(found, listed);
    }
}
