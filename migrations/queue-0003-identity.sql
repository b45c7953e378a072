-- queue.db, version 3: which results.db belongs to this file, and in which order jobs ended.
CREATE TABLE identity (
  only INTEGER PRIMARY KEY CHECK (only = 1), -- one row
  id TEXT NOT NULL                           -- the same in both files of a folder
) STRICT;
CREATE INDEX jobs_by_end ON jobs (keep, finished) WHERE finished > 0;
