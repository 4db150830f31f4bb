-- Findings that a person has resolved. The id is derived from the lines concerned, so that a changed line reopens the
-- finding.
CREATE TABLE finding (
  project INTEGER NOT NULL,
  id      TEXT NOT NULL,
  at      INTEGER NOT NULL,
  actor   TEXT NOT NULL,
  PRIMARY KEY (project, id)
) WITHOUT ROWID;
-- Unanswered questions, each identified by the hash of its text. The text itself is stored only after approval, and a
-- sensitivity beyond `internal` requires the name and time of an approval.
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
-- The original bytes of every imported source; at most one import per page is active.
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
