-- PostgreSQL, version 1. Everything is in the schema `mbsd`, which is the search path here; times are seconds since
-- 1970 by the database's clock, 0: not yet. What changes often (queue, progress, counts, turns) is narrow and stays
-- small; what a job leaves (jobs, documents, parts) is written once or twice.
CREATE FUNCTION clock() RETURNS float8 LANGUAGE sql VOLATILE
  AS $$ SELECT extract(epoch FROM clock_timestamp())::float8 $$;

CREATE TABLE jobs (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, -- order of arrival: the list's cursor
  id text COLLATE "C" NOT NULL UNIQUE,
  status text COLLATE "C" CHECK (status IN ('succeeded', 'failed', 'cancelled')), -- NULL: it is in the queue
  attempt int NOT NULL DEFAULT 0,        -- of jobs that have ended, as what follows
  shown int NOT NULL DEFAULT 0,          -- the attempt whose results are shown; 0: none
  created float8 NOT NULL,
  started float8 NOT NULL DEFAULT 0,
  finished float8 NOT NULL DEFAULT 0,
  progress_t float8 NOT NULL DEFAULT 0,
  progress_fraction float8 NOT NULL DEFAULT 0,
  evaluations bigint NOT NULL DEFAULT 0,
  bytes bigint NOT NULL DEFAULT 0,       -- of the document, the report and the results
  keep boolean NOT NULL DEFAULT false,   -- not to be removed by age
  model_name text COLLATE "C",
  client text COLLATE "C" NOT NULL,      -- '': not known
  name text COLLATE "C",
  tags text COLLATE "C",                 -- JSON, an array of strings; NULL: none
  content_hash text COLLATE "C",
  analysis text COLLATE "C",
  error text COLLATE "C",
  report text COLLATE "C",
  report_checksum bigint NOT NULL DEFAULT 0 -- XXH3; 0: there is no report
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
CREATE INDEX jobs_by_status ON jobs (status, seq) WHERE status IS NOT NULL;
CREATE INDEX jobs_by_content ON jobs (content_hash, seq) WHERE status = 'succeeded' AND content_hash IS NOT NULL;
CREATE INDEX jobs_by_model ON jobs (model_name, seq) WHERE model_name IS NOT NULL;
CREATE INDEX jobs_by_created ON jobs (created);
CREATE INDEX jobs_by_end ON jobs (finished) WHERE finished > 0 AND NOT keep;

CREATE TABLE documents (
  job bigint PRIMARY KEY REFERENCES jobs ON DELETE CASCADE,
  checksum bigint NOT NULL, -- XXH3
  text bytea NOT NULL       -- as it was sent
);

-- Jobs that wait or run, one narrow row each: all that claims, heartbeats and fences look at.
CREATE TABLE queue (
  id text COLLATE "C" PRIMARY KEY REFERENCES jobs (id) ON DELETE CASCADE,
  seq bigint NOT NULL,
  client text COLLATE "C" NOT NULL,
  running boolean NOT NULL DEFAULT false,
  short boolean NOT NULL,            -- it is expected to be over at once
  cancel_requested boolean NOT NULL DEFAULT false,
  attempt int NOT NULL DEFAULT 0,    -- the last claim's number: the fencing token
  crashes int NOT NULL DEFAULT 0,    -- workers that died of this job
  interruptions int NOT NULL DEFAULT 0, -- leases of it that ran out
  arrived float8 NOT NULL DEFAULT clock(),
  started float8 NOT NULL DEFAULT 0,
  lease_until float8 NOT NULL DEFAULT 0, -- when others may take a running job
  kind bigint NOT NULL,              -- jobs of a kind differ in numbers alone; 0: not known
  span float8 NOT NULL,              -- how much of its kind's work it is
  runs bigint NOT NULL,              -- of a study; 0: the job is none
  bytes bigint NOT NULL              -- of its document
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500,
        autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 1000);
CREATE INDEX queue_waiting ON queue (client, seq) WHERE NOT running;
CREATE INDEX queue_waiting_short ON queue (client, seq) WHERE NOT running AND short;
CREATE INDEX queue_kinds ON queue (kind) WHERE NOT running AND kind <> 0;
CREATE INDEX queue_running ON queue (client) WHERE running;

-- How far runs have come, written some times a second. After a crash of the database it is empty, and filled anew.
CREATE UNLOGGED TABLE progress (
  id text COLLATE "C" PRIMARY KEY,
  attempt int NOT NULL,
  t float8 NOT NULL,
  fraction float8 NOT NULL,
  evaluations bigint NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500,
        autovacuum_vacuum_cost_delay = 0);

-- When each client was last claimed from. Nothing is lost with it but the order of turns.
CREATE UNLOGGED TABLE turns (
  client text COLLATE "C" PRIMARY KEY,
  last float8 NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500,
        autovacuum_vacuum_cost_delay = 0);

-- How many jobs are in each state, and their bytes, in parts: each connection that writes has one to itself, so that none
-- waits for another. The sum counts.
CREATE TABLE counts (
  part int PRIMARY KEY,
  queued bigint NOT NULL DEFAULT 0,
  running bigint NOT NULL DEFAULT 0,
  succeeded bigint NOT NULL DEFAULT 0,
  failed bigint NOT NULL DEFAULT 0,
  cancelled bigint NOT NULL DEFAULT 0,
  bytes bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500,
        autovacuum_vacuum_cost_delay = 0);
INSERT INTO counts (part) SELECT generate_series(0, 63);

-- Idempotency keys, for a day.
CREATE TABLE keys (
  client text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  body_hash text COLLATE "C" NOT NULL,
  created float8 NOT NULL DEFAULT clock(),
  job bigint NOT NULL REFERENCES jobs ON DELETE CASCADE,
  PRIMARY KEY (client, key)
);
CREATE INDEX keys_by_created ON keys (created);
CREATE INDEX keys_by_job ON keys (job);

-- Seconds for a unit of span, of each kind of job, as it was seen last.
CREATE TABLE costs (
  kind bigint PRIMARY KEY,
  rate float8 NOT NULL,
  job bigint NOT NULL -- the seq of the one that it was seen of
);

-- Results of runs (a job and an attempt), in parts: what a run hands over in one go is one row, all its arrays together,
-- little-endian columns one after the other; the layout says where each is, with checksums (server/store/common/result_chunk.h).
CREATE TABLE runs (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  job text COLLATE "C" NOT NULL,
  attempt int NOT NULL,
  settled boolean NOT NULL DEFAULT false, -- its job shows it; else it may be that nobody will see it
  checksum bigint,                        -- of the checksums of all its parts, once it is over
  UNIQUE (job, attempt)
);
CREATE INDEX runs_unsettled ON runs (id) WHERE NOT settled;
CREATE TABLE parts (
  run bigint NOT NULL REFERENCES runs ON DELETE CASCADE,
  number int NOT NULL,      -- 0, 1, ... in the order in which they came
  arrays bigint NOT NULL,   -- that it announces
  rows bigint NOT NULL,     -- of arrays with time, together
  bytes bigint NOT NULL,    -- of what it brings, as it was computed
  checksum bigint NOT NULL, -- of the layout
  layout bytea NOT NULL,
  data bytea NOT NULL,
  PRIMARY KEY (run, number)
);
-- Numbers do not compress; slices of them are read without the rest.
ALTER TABLE parts ALTER COLUMN data SET STORAGE EXTERNAL;

-- Studies that were begun, until they are over: what of them is missing, who has which block of them, and what blocks
-- came to. Who changes anything of a study locks its row first.
CREATE TABLE studies (
  job text COLLATE "C" PRIMARY KEY REFERENCES jobs (id) ON DELETE CASCADE,
  client text COLLATE "C" NOT NULL,
  coordinated boolean NOT NULL,
  runs bigint NOT NULL,
  attempts int NOT NULL DEFAULT 0,       -- of blocks: the last one's number
  last_size bigint NOT NULL DEFAULT 0,   -- of a block that was handed out
  run_seconds float8 NOT NULL DEFAULT 0  -- of the last block, for a run; 0: not known
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500,
        autovacuum_vacuum_cost_delay = 0);
CREATE INDEX studies_of_clients ON studies (client) WHERE coordinated;
CREATE TABLE ranges (
  job text COLLATE "C" NOT NULL REFERENCES studies ON DELETE CASCADE,
  first bigint NOT NULL,
  until bigint NOT NULL,                 -- the first run after it
  crashes int NOT NULL DEFAULT 0,        -- of workers that had this run alone
  attempt int NOT NULL DEFAULT 0,        -- of who has it; 0: it is missing
  lease_until float8 NOT NULL DEFAULT 0
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500,
        autovacuum_vacuum_cost_delay = 0);
CREATE INDEX ranges_missing ON ranges (job, first) WHERE attempt = 0;
CREATE INDEX ranges_held ON ranges (job, attempt) WHERE attempt > 0;
CREATE TABLE blocks (
  job text COLLATE "C" NOT NULL REFERENCES studies ON DELETE CASCADE,
  first bigint NOT NULL,
  runs bigint NOT NULL,
  columns bigint NOT NULL,
  checksum bigint NOT NULL, -- of the report and the data
  report text COLLATE "C" NOT NULL, -- JSON
  data bytea NOT NULL,      -- rows of little-endian doubles
  PRIMARY KEY (job, first)
);
ALTER TABLE blocks ALTER COLUMN data SET STORAGE EXTERNAL;
