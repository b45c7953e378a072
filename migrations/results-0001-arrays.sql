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
  id INTEGER PRIMARY KEY,
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
  UNIQUE (run, position),
  UNIQUE (run, name)
) STRICT;

-- A tile is a block of consecutive rows, column-major inside, little-endian doubles.
CREATE TABLE tiles (
  id INTEGER PRIMARY KEY,
  array INTEGER NOT NULL REFERENCES arrays (id) ON DELETE CASCADE,
  tile INTEGER NOT NULL,
  data BLOB NOT NULL,
  UNIQUE (array, tile)
) STRICT;
