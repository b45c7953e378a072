-- queue.db, version 7: how many runs a study has; 0: the job is none.
ALTER TABLE jobs ADD COLUMN runs INTEGER NOT NULL DEFAULT 0;
