-- Embedding models, at most one of which is active, and vectors by the hash of their text.
CREATE TABLE model (
  number     INTEGER PRIMARY KEY,
  name       TEXT NOT NULL,
  dimensions INTEGER NOT NULL CHECK (dimensions > 0),
  revision   TEXT NOT NULL,
  active     INTEGER NOT NULL DEFAULT 0 CHECK (active IN (0, 1)),
  UNIQUE (name, dimensions, revision)
);
CREATE UNIQUE INDEX model_active ON model(active) WHERE active = 1;
CREATE TABLE vector (
  model  INTEGER NOT NULL,
  hash   BLOB NOT NULL,
  vector BLOB NOT NULL,
  PRIMARY KEY (model, hash)
) WITHOUT ROWID;
