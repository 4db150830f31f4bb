-- A project is identified by its vault, not by a directory; each checkout of a vault is a replica.
CREATE TABLE project_5 (
  number   INTEGER PRIMARY KEY,
  vault_id TEXT NOT NULL UNIQUE,
  name     TEXT NOT NULL
);
INSERT INTO project_5(number, vault_id, name)
  SELECT number,
    'path:' || root || CASE WHEN number = (SELECT max(number) FROM project o WHERE o.root = p.root) THEN '' ELSE '#' || number END,
    name
  FROM project p;
CREATE TABLE replica (
  number   INTEGER PRIMARY KEY,
  project  INTEGER NOT NULL,
  checkout TEXT NOT NULL,
  UNIQUE (project, checkout)
);
INSERT INTO replica(project, checkout) SELECT number, root FROM project;
DROP TABLE project;
ALTER TABLE project_5 RENAME TO project;

-- What belongs to a project as a whole.
CREATE TABLE project_state (
  project        INTEGER PRIMARY KEY,
  index_mark     TEXT,
  last_write     TEXT,
  last_generated TEXT,
  git            TEXT,
  curated_pages  INTEGER
);
INSERT INTO project_state(project, index_mark, last_write, last_generated, git, curated_pages)
  SELECT number,
    (SELECT value FROM setting WHERE key = 'policy/' || number),
    (SELECT value FROM setting WHERE key = 'intent/' || number),
    (SELECT value FROM setting WHERE key = 'intent/' || number || '/generated'),
    (SELECT value FROM setting WHERE key = 'git/' || number),
    (SELECT CAST(value AS INTEGER) FROM setting WHERE key = 'curated/' || number)
  FROM project;
DROP TABLE setting;

ALTER TABLE author RENAME COLUMN whole TO sole_author;

-- Snapshots of a page whose path another page has taken are kept until they expire, but belong to no page.
ALTER TABLE snapshot ADD COLUMN detached INTEGER NOT NULL DEFAULT 0 CHECK (detached IN (0, 1));
UPDATE snapshot SET detached = 1, path = substr(path, 1, instr(path, char(0)) - 1) WHERE instr(path, char(0)) > 0;
