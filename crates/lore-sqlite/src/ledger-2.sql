-- The last author of each file written through Lore, to distinguish foreign edits from Lore's own.
CREATE TABLE author (
  project INTEGER NOT NULL,
  path    TEXT NOT NULL,
  hash    BLOB NOT NULL,
  actor   TEXT NOT NULL,
  whole   INTEGER NOT NULL,
  PRIMARY KEY (project, path)
) WITHOUT ROWID;
DROP INDEX snapshot_at;
CREATE INDEX snapshot_at ON snapshot(project, at);
