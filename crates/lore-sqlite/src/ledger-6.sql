-- The bytes that were last written to a file through Lore. Whoever overwrites the file outside Lore would destroy the only
-- copy; they become a snapshot then.
ALTER TABLE author ADD COLUMN bytes BLOB;
ALTER TABLE author ADD COLUMN at INTEGER NOT NULL DEFAULT 0;

-- The mode of the file, so that a restored page is as private as it was.
ALTER TABLE snapshot ADD COLUMN mode INTEGER;
