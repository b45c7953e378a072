-- results.db, version 3: what a run hands over in one go is one row, all its arrays together. Runs of before keep their
-- rows in arrays and tiles, which have no checksums.
--
-- A part announces arrays (their heads are in the layout of the part) and brings pieces of those that it or an earlier
-- part announced: consecutive rows, column-major inside, little-endian doubles, one after the other in `data`. The
-- layout says where each is, with a checksum of every 16 KiB of it; `checksum` is that of the layout.
CREATE TABLE parts (
  id INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  number INTEGER NOT NULL, -- 0, 1, ... in the order in which they came
  arrays INTEGER NOT NULL, -- that it announces
  rows INTEGER NOT NULL,   -- of arrays with time, together
  bytes INTEGER NOT NULL,  -- of data
  checksum INTEGER NOT NULL,
  layout BLOB NOT NULL,
  data BLOB NOT NULL,
  UNIQUE (run, number)
) STRICT;

-- Of the checksums of all its parts, once the run is over; NULL: it is not, or is one of before.
ALTER TABLE runs ADD COLUMN checksum INTEGER;
