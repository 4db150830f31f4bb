//! Decides whether a file is Lore's own database before anything is written to it or beside it. The file is only read:
//! SQLite itself would create a write-ahead log, or roll back another program's unfinished transaction.

use std::path::Path;
use std::time::Duration;

use lore_ports::{Error, Result};
use rusqlite::{Connection, OpenFlags};

use crate::files;

/// Marks a SQLite file as Lore's: `Lore` in ASCII, in the header field that SQLite reserves for this.
pub(crate) const APPLICATION_ID: i32 = 0x4c6f_7265;

/// The first bytes of every SQLite file.
const MAGIC: &[u8] = b"SQLite format 3\0";

/// Length of a SQLite header.
const HEADER: usize = 100;

/// The newest versions of ledger and index that were written without an application id.
const UNMARKED: (u32, u32) = (5, 7);

/// Tables that every ledger has had from its first version on, with all their columns.
const MARKS: [(&str, &str); 3] = [
    ("version", "project,path,version,hash"),
    ("failure", "project,path,size,mtime,count,reason"),
    ("identity", "project,path,id"),
];

/// How often the schema is read again when another process may be writing it back.
const ATTEMPTS: u32 = 5;

/// What a path holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    /// Nothing, or an empty file: it may become a database.
    Nothing,
    /// A database of Lore.
    Ours,
    /// Something unreadable that can only be Lore's, because of where it is.
    Unreadable,
}

/// Returns what a path holds, without changing anything; another program's file is an error. `own_location` says that only
/// Lore keeps a file there.
pub(crate) fn recognize(path: &Path, own_location: bool) -> Result<Content> {
    let foreign = |reason: &str| Error::ForeignFile { path: path.to_owned(), reason: reason.to_owned() };
    let Some(header) = files::head(path, HEADER)? else { return Ok(Content::Nothing) };
    if header.is_empty() {
        return Ok(Content::Nothing);
    }
    if header.len() < HEADER || !header.starts_with(MAGIC) {
        return match own_location {
            true => Ok(Content::Unreadable),
            false => Err(foreign("it is not a SQLite database")),
        };
    }
    match number(&header, 68) {
        id if id == APPLICATION_ID as u32 => Ok(Content::Ours),
        0 => match unmarked(path, number(&header, 60)) {
            Some(true) => Ok(Content::Ours),
            None if own_location => Ok(Content::Ours),
            _ => Err(foreign("it is a SQLite database of another program")),
        },
        _ => Err(foreign("it is a SQLite database of another program")),
    }
}

/// Whether a database without an application id is one that an earlier version of Lore made; `None` when its schema is
/// empty or cannot be read.
fn unmarked(path: &Path, user_version: u32) -> Option<bool> {
    let (ledger, index) = (user_version >> 16, user_version & 0xffff);
    for attempt in 0..ATTEMPTS {
        // A checkpoint by another process can tear what is read here without a lock.
        if attempt > 0 {
            std::thread::sleep(Duration::from_millis(20));
        }
        match has_marks(path) {
            Ok(None) => return None,
            Ok(Some(marks)) => {
                let versions = (1..=UNMARKED.0).contains(&ledger) && (1..=UNMARKED.1).contains(&index);
                return Some(marks && versions);
            }
            Err(_) => {}
        }
    }
    None
}

/// Whether the schema has the tables of a ledger; `None` when it is empty.
fn has_marks(path: &Path) -> rusqlite::Result<Option<bool>> {
    let connection = immutable(path)?;
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if tables == 0 {
        return Ok(None);
    }
    let sql = "SELECT coalesce(group_concat(name), '') FROM pragma_table_info(?1)";
    for (table, columns) in MARKS {
        let found: String = connection.query_row(sql, [table], |row| row.get(0))?;
        if found != columns {
            return Ok(Some(false));
        }
    }
    Ok(Some(true))
}

/// Opens a database that nothing can change: without locks, journals and a write-ahead log.
pub(crate) fn immutable(path: &Path) -> rusqlite::Result<Connection> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let name = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    Connection::open_with_flags(format!("file:{name}?mode=ro&immutable=1"), flags)
}

fn number(header: &[u8], at: usize) -> u32 {
    header.get(at..at + 4).map_or(0, |bytes| bytes.iter().fold(0, |sum, byte| sum << 8 | u32::from(*byte)))
}
