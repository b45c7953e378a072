-- queue.db, version 1: the jobs and the documents they came with. Times are seconds since 1970; 0 means not yet.
CREATE TABLE jobs (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, -- order of arrival, never used twice: the list's cursor
  id TEXT NOT NULL UNIQUE,
  status TEXT NOT NULL CHECK (status IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
  attempt INTEGER NOT NULL DEFAULT 0,          -- the last claim's number: the fencing token
  crashes INTEGER NOT NULL DEFAULT 0,          -- workers that died of this job
  interruptions INTEGER NOT NULL DEFAULT 0,    -- times the service itself died while this job ran
  cancel_requested INTEGER NOT NULL DEFAULT 0,
  lease_until REAL NOT NULL DEFAULT 0,         -- when others may take a running job
  shown INTEGER NOT NULL DEFAULT 0,            -- the attempt whose results are shown; 0: none
  created REAL NOT NULL,
  started REAL NOT NULL DEFAULT 0,
  finished REAL NOT NULL DEFAULT 0,
  progress_t REAL NOT NULL DEFAULT 0,
  progress_fraction REAL NOT NULL DEFAULT 0,
  evaluations INTEGER NOT NULL DEFAULT 0,
  model_name TEXT,
  analysis TEXT,
  report TEXT,
  error TEXT
) STRICT;
CREATE INDEX jobs_by_status ON jobs (status, seq);

CREATE TABLE documents (
  job INTEGER PRIMARY KEY REFERENCES jobs (seq) ON DELETE CASCADE,
  text BLOB NOT NULL
) STRICT;

-- How many jobs are in each state, kept by triggers: counting rows would grow with the history.
CREATE TABLE counts (
  status TEXT PRIMARY KEY,
  jobs INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO counts VALUES ('queued', 0), ('running', 0), ('succeeded', 0), ('failed', 0), ('cancelled', 0);
CREATE TRIGGER jobs_counted_in AFTER INSERT ON jobs BEGIN
  UPDATE counts SET jobs = jobs + 1 WHERE status = new.status;
END;
CREATE TRIGGER jobs_counted_out AFTER DELETE ON jobs BEGIN
  UPDATE counts SET jobs = jobs - 1 WHERE status = old.status;
END;
CREATE TRIGGER jobs_counted_over AFTER UPDATE OF status ON jobs WHEN old.status <> new.status BEGIN
  UPDATE counts SET jobs = jobs - 1 WHERE status = old.status;
  UPDATE counts SET jobs = jobs + 1 WHERE status = new.status;
END;
