-- queue.db, version 9: the bytes of each job, and what each client uses.
ALTER TABLE jobs ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0; -- of its document, its report and its results

CREATE TABLE client_use (
  client TEXT PRIMARY KEY,
  bytes INTEGER NOT NULL DEFAULT 0, -- of its jobs; kept by triggers
  day INTEGER NOT NULL DEFAULT 0,   -- on which it last used processor time: days since 1970, UTC
  cpu REAL NOT NULL DEFAULT 0       -- processor time of its jobs on that day [s]
) STRICT, WITHOUT ROWID;

CREATE TRIGGER job_bytes_in AFTER INSERT ON jobs WHEN new.bytes <> 0 BEGIN
  INSERT INTO client_use (client, bytes) VALUES (new.client, new.bytes)
    ON CONFLICT (client) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER job_bytes_over AFTER UPDATE OF bytes ON jobs WHEN new.bytes <> old.bytes BEGIN
  INSERT INTO client_use (client, bytes) VALUES (new.client, new.bytes - old.bytes)
    ON CONFLICT (client) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER job_bytes_out AFTER DELETE ON jobs WHEN old.bytes <> 0 BEGIN
  UPDATE client_use SET bytes = bytes - old.bytes WHERE client = old.client;
END;

-- The results of jobs of before are in the other file: the program adds them when it opens both. Until then -1 - bytes.
CREATE INDEX jobs_unmeasured ON jobs (seq) WHERE bytes < 0;
UPDATE jobs SET bytes = coalesce((SELECT length(text) FROM documents WHERE job = jobs.seq), 0)
  + coalesce(length(CAST(report AS BLOB)), 0);
UPDATE jobs SET bytes = -1 - bytes WHERE shown > 0;
