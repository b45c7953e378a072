-- queue.db, version 2 (a stand-in until the migration of that number is merged, which brings this column with others):
-- whether a job stays whatever its age is. Take the other migration of this number in its place.
ALTER TABLE jobs ADD COLUMN keep INTEGER NOT NULL DEFAULT 0;
