-- results.db, version 6: what blocks of studies came to, until their study is over; then its results are a run like any
-- other. Rows of doubles, little-endian, `columns` each; `checksum` is that of the report and the data.
CREATE TABLE blocks (
  job TEXT NOT NULL,
  first INTEGER NOT NULL, -- run of the study
  runs INTEGER NOT NULL,
  columns INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  report TEXT NOT NULL, -- JSON
  data BLOB NOT NULL,
  UNIQUE (job, first)
) STRICT;
