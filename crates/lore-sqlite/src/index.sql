-- The derived tables. Dropped and rebuilt whenever their version changes.
CREATE TABLE page (
  -- Never reused: a process that read it before a page was removed must not find another page under it.
  number      INTEGER PRIMARY KEY AUTOINCREMENT,
  project     INTEGER NOT NULL,
  path        TEXT NOT NULL,
  slug        TEXT NOT NULL,
  id          TEXT NOT NULL,
  title       TEXT NOT NULL,
  kind        TEXT NOT NULL,
  status      TEXT,
  wing        TEXT NOT NULL,
  summary     TEXT,
  tags        TEXT NOT NULL,
  properties  TEXT NOT NULL,
  diagnostics TEXT NOT NULL,
  hash        BLOB NOT NULL,
  size        INTEGER NOT NULL,
  mtime       INTEGER NOT NULL,
  created     INTEGER NOT NULL,
  updated     INTEGER NOT NULL,
  declared_date INTEGER,
  -- The title, case-folded.
  title_key   TEXT NOT NULL,
  -- The checkout that recorded size and mtime.
  replica     INTEGER NOT NULL
);
-- Covers the freshness scan, so that it never reads the rows themselves.
CREATE UNIQUE INDEX page_path ON page(project, path, size, mtime, hash, replica);
CREATE INDEX page_slug ON page(project, slug);
-- Sorts by title, and is scanned for titles that contain a word.
CREATE INDEX page_title ON page(project, title_key, path);
CREATE INDEX page_kind ON page(project, kind);
CREATE INDEX page_updated ON page(project, updated);
-- The date declared in a page takes precedence over the file's mtime.
CREATE INDEX page_touched ON page(project, coalesce(declared_date, updated));

-- The names a page can be found by.
CREATE TABLE name (
  project INTEGER NOT NULL,
  name    TEXT NOT NULL,
  kind    INTEGER NOT NULL,
  page    INTEGER NOT NULL,
  PRIMARY KEY (project, name, kind, page)
) WITHOUT ROWID;
CREATE INDEX name_page ON name(page);

-- Types, statuses, wings, tags and properties, case-folded, for filters.
CREATE TABLE label (
  project INTEGER NOT NULL,
  kind    TEXT NOT NULL,
  value   TEXT NOT NULL,
  page    INTEGER NOT NULL,
  PRIMARY KEY (project, kind, value, page)
) WITHOUT ROWID;
CREATE INDEX label_page ON label(page);

CREATE TABLE link (
  number      INTEGER PRIMARY KEY,
  project     INTEGER NOT NULL,
  id          INTEGER NOT NULL,
  from_page   INTEGER NOT NULL,
  to_page     INTEGER,
  relation    TEXT NOT NULL,
  -- The relation, case-folded.
  relation_key TEXT NOT NULL,
  target      TEXT NOT NULL,
  name        TEXT NOT NULL,
  slug        TEXT NOT NULL,
  heading     TEXT,
  label       TEXT,
  context     TEXT,
  valid_from  TEXT,
  valid_until TEXT,
  line        INTEGER NOT NULL
);
CREATE INDEX link_from ON link(from_page);
CREATE INDEX link_id ON link(project, id);
CREATE INDEX link_to ON link(to_page, from_page) WHERE to_page IS NOT NULL;
CREATE INDEX link_typed ON link(to_page, relation_key) WHERE to_page IS NOT NULL;
CREATE INDEX link_relation ON link(project, relation_key);
CREATE INDEX link_pending ON link(project) WHERE to_page IS NULL;
CREATE INDEX link_name ON link(project, name);
CREATE INDEX link_slug ON link(project, slug) WHERE slug <> '';

CREATE TABLE statement (
  page        INTEGER NOT NULL,
  kind        INTEGER NOT NULL,
  first       INTEGER NOT NULL,
  last        INTEGER NOT NULL,
  subject     TEXT,
  predicate   TEXT NOT NULL,
  object      TEXT NOT NULL,
  valid_from  TEXT,
  valid_until TEXT,
  notes       TEXT NOT NULL,
  project     INTEGER NOT NULL,
  -- Subject and object of a fact, normalized for comparing names.
  subject_name TEXT,
  object_name  TEXT
);
CREATE INDEX statement_subject ON statement(project, subject_name) WHERE subject_name IS NOT NULL;
CREATE INDEX statement_object ON statement(project, object_name) WHERE object_name IS NOT NULL;
CREATE INDEX statement_page ON statement(page);
CREATE INDEX statement_kind ON statement(project, kind, predicate);

-- The chunks of pages, the units of embedding. Slots are dense within a project, so that the sign codes of neighbours
-- share a blob; a freed slot is reused by the next chunk.
CREATE TABLE chunk (
  project INTEGER NOT NULL,
  slot    INTEGER NOT NULL,
  page    INTEGER NOT NULL,
  kind    INTEGER NOT NULL,
  heading TEXT NOT NULL,
  first   INTEGER NOT NULL,
  last    INTEGER NOT NULL,
  hash    BLOB NOT NULL,
  PRIMARY KEY (project, slot)
) WITHOUT ROWID;
CREATE INDEX chunk_page ON chunk(page, first);
CREATE INDEX chunk_hash ON chunk(hash);
CREATE TABLE free_slot (
  project INTEGER NOT NULL,
  slot    INTEGER NOT NULL,
  PRIMARY KEY (project, slot)
) WITHOUT ROWID;
-- Chunks that have no vector of a model yet.
CREATE TABLE pending (
  project INTEGER NOT NULL,
  model   INTEGER NOT NULL,
  slot    INTEGER NOT NULL,
  PRIMARY KEY (project, model, slot)
) WITHOUT ROWID;
-- The sign codes of a block of slots.
CREATE TABLE code (
  project INTEGER NOT NULL,
  model   INTEGER NOT NULL,
  block   INTEGER NOT NULL,
  codes   BLOB NOT NULL,
  PRIMARY KEY (project, model, block)
);
-- When the index of a project last changed, and the lint errors counted since.
CREATE TABLE index_time (
  project     INTEGER PRIMARY KEY,
  at          INTEGER NOT NULL,
  lint_mark   TEXT,
  lint_errors INTEGER
);
