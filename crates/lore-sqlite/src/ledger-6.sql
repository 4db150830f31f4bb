-- The bytes that were last written to a file through Lore. Whoever overwrites the file outside Lore would destroy the only
-- copy; they become a snapshot then.
ALTER TABLE author ADD COLUMN bytes BLOB;
ALTER TABLE author ADD COLUMN at INTEGER NOT NULL DEFAULT 0;

-- The mode of the file, so that a restored page is as private as it was.
ALTER TABLE snapshot ADD COLUMN mode INTEGER;

-- The last version of each page that has lost its slug: the next page with that slug gets a higher one, so that a slug and
-- a version name one text.
CREATE TABLE released_slug (
  project INTEGER NOT NULL,
  slug    TEXT NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (project, slug)
) WITHOUT ROWID;

-- The time that the clocks of the writers agree on, as JSON.
ALTER TABLE project_state ADD COLUMN clock TEXT;
