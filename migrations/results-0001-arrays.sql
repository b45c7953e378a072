-- results.db, version 1: the result arrays of each run (a job and an attempt), apart from the queue so that its commits
-- stay small.
CREATE TABLE runs (
  id INTEGER PRIMARY KEY,
  job TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  settled INTEGER NOT NULL DEFAULT 0, -- 0: the job may not have ended with this run, or is being removed
  UNIQUE (job, attempt)
) STRICT;
CREATE INDEX runs_unsettled ON runs (job) WHERE settled = 0;

CREATE TABLE arrays (
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  name TEXT NOT NULL,
  unit TEXT,
  doc TEXT,
  labels TEXT,
  rank INTEGER NOT NULL,
  shape0 INTEGER NOT NULL,
  shape1 INTEGER NOT NULL,
  shape2 INTEGER NOT NULL,
  shape3 INTEGER NOT NULL,
  timeless INTEGER NOT NULL,
  columns INTEGER NOT NULL,
  tile_rows INTEGER NOT NULL,
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

-- A tile is a block of consecutive rows, column-major inside, little-endian doubles. It has an id of its own because
-- parts of a blob are read by row id.
CREATE TABLE tiles (
  id INTEGER PRIMARY KEY,
  run INTEGER NOT NULL,
  position INTEGER NOT NULL,
  tile INTEGER NOT NULL,
  data BLOB NOT NULL,
  UNIQUE (run, position, tile),
  FOREIGN KEY (run, position) REFERENCES arrays (run, position) ON DELETE CASCADE
) STRICT;
