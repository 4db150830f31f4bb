-- The namespaces in which a question was asked, as a JSON list; none if it was asked of the whole vault.
ALTER TABLE gap ADD COLUMN namespaces TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(namespaces));
