-- PostgreSQL, version 2: how many runs a study has is told of the job, too, when it is over; 0: it is none.
ALTER TABLE jobs ADD COLUMN runs bigint NOT NULL DEFAULT 0;
UPDATE jobs SET runs = queue.runs FROM queue WHERE queue.id = jobs.id AND queue.runs > 0;
