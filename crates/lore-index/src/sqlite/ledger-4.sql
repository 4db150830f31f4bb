-- Findings of a check that a person has settled. An id is made of the lines it is about, so that a line which changes
-- opens the finding again.
CREATE TABLE finding (
  project INTEGER NOT NULL,
  id      TEXT NOT NULL,
  at      INTEGER NOT NULL,
  actor   TEXT NOT NULL,
  PRIMARY KEY (project, id)
) WITHOUT ROWID;
-- Questions that were answered badly, each by the checksum of its words. The words themselves are kept only once
-- somebody has allowed it, and nothing goes further than `internal` without a name and a time to show for it.
CREATE TABLE gap (
  project        INTEGER NOT NULL,
  id             INTEGER NOT NULL,
  query_hash     BLOB NOT NULL CHECK (length(query_hash) = 32),
  query_text     TEXT,
  context        TEXT NOT NULL DEFAULT '',
  confidence     REAL,
  sensitivity    TEXT NOT NULL DEFAULT 'internal' CHECK (sensitivity IN ('internal', 'external', 'redacted')),
  times          INTEGER NOT NULL DEFAULT 1 CHECK (times > 0),
  approved_by    TEXT CHECK (approved_by <> ''),
  approved_at    INTEGER,
  redacted_query TEXT,
  resolved_by    TEXT,
  resolved_at    INTEGER,
  detected_at    INTEGER NOT NULL,
  PRIMARY KEY (project, id),
  CHECK ((approved_by IS NULL) = (approved_at IS NULL)),
  CHECK ((resolved_by IS NULL) = (resolved_at IS NULL)),
  CHECK (query_text IS NULL OR (approved_by IS NOT NULL AND approved_at IS NOT NULL)),
  CHECK (redacted_query IS NULL OR (approved_by IS NOT NULL AND approved_at IS NOT NULL)),
  CHECK (sensitivity = 'internal' OR (approved_by IS NOT NULL AND approved_at IS NOT NULL))
) WITHOUT ROWID;
-- The bytes of every source that was taken in, as they came; of each page at most one counts.
CREATE TABLE import (
  number      INTEGER PRIMARY KEY,
  project     INTEGER NOT NULL,
  batch       TEXT NOT NULL,
  source      TEXT NOT NULL,
  source_type TEXT NOT NULL DEFAULT '',
  page        TEXT NOT NULL DEFAULT '',
  hash        BLOB NOT NULL,
  bytes       BLOB NOT NULL,
  active      INTEGER NOT NULL DEFAULT 1 CHECK (active IN (0, 1)),
  at          INTEGER NOT NULL
);
CREATE INDEX import_hash ON import(project, hash);
CREATE INDEX import_batch ON import(project, batch);
CREATE UNIQUE INDEX import_active ON import(project, page) WHERE active = 1;
