-- The durable tables. A change to them is a migration, never a rebuild.
CREATE TABLE project (
  number INTEGER PRIMARY KEY,
  name   TEXT NOT NULL UNIQUE,
  root   TEXT NOT NULL
);
CREATE TABLE version (
  project INTEGER NOT NULL,
  path    TEXT NOT NULL,
  version INTEGER NOT NULL,
  hash    BLOB NOT NULL,
  PRIMARY KEY (project, path)
) WITHOUT ROWID;
CREATE TABLE snapshot (
  number  INTEGER PRIMARY KEY,
  project INTEGER NOT NULL,
  path    TEXT NOT NULL,
  version INTEGER NOT NULL,
  hash    BLOB NOT NULL,
  bytes   BLOB NOT NULL,
  at      INTEGER NOT NULL,
  actor   TEXT NOT NULL
);
CREATE INDEX snapshot_path ON snapshot(project, path);
CREATE INDEX snapshot_at ON snapshot(at);
CREATE TABLE failure (
  project INTEGER NOT NULL,
  path    TEXT NOT NULL,
  size    INTEGER NOT NULL,
  mtime   INTEGER NOT NULL,
  count   INTEGER NOT NULL,
  reason  TEXT NOT NULL,
  PRIMARY KEY (project, path)
) WITHOUT ROWID;
CREATE TABLE identity (
  project INTEGER NOT NULL,
  path    TEXT NOT NULL,
  id      TEXT NOT NULL,
  PRIMARY KEY (project, path)
) WITHOUT ROWID;
CREATE TABLE setting (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;
