-- queue.db, version 6: a checksum of each row of jobs in place of those of its texts; the report, which lists leave
-- out, keeps its own. The columns are those of server/store/sqlite/queue/job_rows.h, checksum() is the program's. 0: not
-- known; a row that was cut short has none.
ALTER TABLE jobs DROP COLUMN error_checksum;
ALTER TABLE jobs DROP COLUMN analysis_checksum;
ALTER TABLE jobs ADD COLUMN row_checksum INTEGER;
UPDATE jobs SET row_checksum = checksum(seq, id, status, attempt, crashes, interruptions, cancel_requested, shown,
  created, started, finished, progress_t, progress_fraction, evaluations, model_name, client, name, tags, keep,
  content_hash, short, analysis, error, report_checksum);
