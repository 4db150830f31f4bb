-- Imports of whole sources. A batch has one part per atomic write; its manifest lists files and pages.
CREATE TABLE batch (
  project  INTEGER NOT NULL,
  batch    TEXT NOT NULL,
  part     INTEGER NOT NULL,
  kind     TEXT NOT NULL,
  source   TEXT NOT NULL,
  is_last  INTEGER NOT NULL CHECK (is_last IN (0, 1)),
  manifest BLOB NOT NULL,
  at       INTEGER NOT NULL,
  PRIMARY KEY (project, batch, part)
);
-- The original bytes of the files of batches, each only once.
CREATE TABLE blob (
  project INTEGER NOT NULL,
  hash    BLOB NOT NULL CHECK (length(hash) = 32),
  bytes   BLOB NOT NULL,
  PRIMARY KEY (project, hash)
);
