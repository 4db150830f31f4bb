-- Findings of a check that a person has settled. An id is made of the lines it is about, so that a line which changes
-- opens the finding again.
CREATE TABLE finding (
  project INTEGER NOT NULL,
  id      TEXT NOT NULL,
  at      INTEGER NOT NULL,
  actor   TEXT NOT NULL,
  PRIMARY KEY (project, id)
) WITHOUT ROWID;
-- Questions that were answered badly. Their words are kept only once somebody has allowed it.
CREATE TABLE gap (
  number         INTEGER PRIMARY KEY,
  project        INTEGER NOT NULL,
  query_hash     TEXT NOT NULL,
  query_text     TEXT,
  context        TEXT NOT NULL DEFAULT '',
  confidence     REAL,
  sensitivity    TEXT NOT NULL DEFAULT 'internal' CHECK (sensitivity IN ('internal', 'external', 'redacted')),
  times          INTEGER NOT NULL DEFAULT 1,
  approved_by    TEXT,
  approved_at    INTEGER,
  redacted_query TEXT,
  resolved_at    INTEGER,
  resolved_by    TEXT,
  detected_at    INTEGER NOT NULL,
  CHECK (query_text IS NULL OR (approved_by IS NOT NULL AND approved_at IS NOT NULL)),
  CHECK (redacted_query IS NULL OR (approved_by IS NOT NULL AND approved_at IS NOT NULL)),
  CHECK (sensitivity = 'internal' OR (approved_by IS NOT NULL AND approved_at IS NOT NULL))
);
CREATE INDEX gap_hash ON gap(project, query_hash);
-- The bytes of every source that was taken in, as they came.
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
