-- Former paths of pages that were moved outside Lore: links by a former path still lead to the page.
CREATE TABLE former_path (
  project INTEGER NOT NULL,
  path    TEXT NOT NULL,
  page    TEXT NOT NULL,
  PRIMARY KEY (project, path)
) WITHOUT ROWID;
