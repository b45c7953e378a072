-- queue.db, version 2: who sent a job and what he calls it; what it is equal to; whose turn it is; how long jobs take.
ALTER TABLE jobs ADD COLUMN client TEXT NOT NULL DEFAULT ''; -- '': not known
ALTER TABLE jobs ADD COLUMN name TEXT;
ALTER TABLE jobs ADD COLUMN tags TEXT;                       -- JSON, an array of strings; NULL: none
ALTER TABLE jobs ADD COLUMN keep INTEGER NOT NULL DEFAULT 0; -- not to be removed by age
ALTER TABLE jobs ADD COLUMN content_hash TEXT;
ALTER TABLE jobs ADD COLUMN kind INTEGER NOT NULL DEFAULT 0; -- jobs of a kind differ in numbers alone; 0: not known
ALTER TABLE jobs ADD COLUMN span REAL NOT NULL DEFAULT 1;    -- how much of its kind's work it is
ALTER TABLE jobs ADD COLUMN short INTEGER NOT NULL DEFAULT 0; -- it is expected to be over at once

CREATE INDEX jobs_by_content ON jobs (content_hash) WHERE status = 'succeeded' AND content_hash IS NOT NULL;
CREATE INDEX jobs_by_model ON jobs (model_name, seq);
CREATE INDEX jobs_by_created ON jobs (created);
CREATE INDEX jobs_waiting ON jobs (client, seq) WHERE status = 'queued';
CREATE INDEX jobs_waiting_short ON jobs (client, seq) WHERE status = 'queued' AND short = 1;

-- Idempotency keys, for a day.
CREATE TABLE keys (
  client TEXT NOT NULL,
  key TEXT NOT NULL,
  body_hash TEXT NOT NULL,
  created REAL NOT NULL, -- by the database's clock
  job INTEGER NOT NULL REFERENCES jobs (seq) ON DELETE CASCADE,
  PRIMARY KEY (client, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX keys_by_created ON keys (created);
CREATE INDEX keys_by_job ON keys (job);

-- Seconds for a unit of span, of each kind of job, as it was seen last.
CREATE TABLE costs (
  kind INTEGER PRIMARY KEY,
  rate REAL NOT NULL,
  job INTEGER NOT NULL -- the seq of the one that it was seen of
) STRICT;

-- The clients that have jobs which wait or run, kept by triggers. Who is claimed from gets the next even turn; who
-- comes anew gets the odd one before the last: before who was claimed from last, behind all who wait for longer.
CREATE TABLE turns (last INTEGER NOT NULL) STRICT;
INSERT INTO turns VALUES (0);
CREATE TABLE clients (
  client TEXT PRIMARY KEY,
  queued INTEGER NOT NULL DEFAULT 0,
  short INTEGER NOT NULL DEFAULT 0, -- of those queued
  running INTEGER NOT NULL DEFAULT 0,
  turn INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER jobs_of_clients_in AFTER INSERT ON jobs WHEN new.status IN ('queued', 'running') BEGIN
  INSERT OR IGNORE INTO clients (client, turn) VALUES (new.client, (SELECT last - 1 FROM turns));
  UPDATE clients SET
    queued = queued + (new.status = 'queued'),
    short = short + (new.status = 'queued' AND new.short),
    running = running + (new.status = 'running') WHERE client = new.client;
END;
CREATE TRIGGER jobs_of_clients_over AFTER UPDATE OF status, short ON jobs
    WHEN old.status <> new.status OR old.short <> new.short BEGIN
  UPDATE clients SET
    queued = queued + (new.status = 'queued') - (old.status = 'queued'),
    short = short + (new.status = 'queued' AND new.short) - (old.status = 'queued' AND old.short),
    running = running + (new.status = 'running') - (old.status = 'running') WHERE client = new.client;
  DELETE FROM clients WHERE client = new.client AND queued = 0 AND running = 0;
END;
CREATE TRIGGER jobs_of_clients_out AFTER DELETE ON jobs WHEN old.status IN ('queued', 'running') BEGIN
  UPDATE clients SET
    queued = queued - (old.status = 'queued'),
    short = short - (old.status = 'queued' AND old.short),
    running = running - (old.status = 'running') WHERE client = old.client;
  DELETE FROM clients WHERE client = old.client AND queued = 0 AND running = 0;
END;
INSERT INTO clients SELECT '', sum(status = 'queued'), 0, sum(status = 'running'), -1 FROM jobs
  WHERE status IN ('queued', 'running') HAVING count(*) > 0;
