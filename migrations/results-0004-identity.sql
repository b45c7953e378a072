-- results.db, version 4: which queue.db belongs to this file.
CREATE TABLE identity (
  only INTEGER PRIMARY KEY CHECK (only = 1), -- one row
  id TEXT NOT NULL                           -- the same in both files of a folder
) STRICT;
