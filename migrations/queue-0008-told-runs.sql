-- queue.db, version 8: how many runs a study has is told of the job, so that the checksum of its row is of that, too. A
-- row that was damaged before stays so.
UPDATE jobs SET row_checksum = checksum(seq, id, status, attempt, crashes, interruptions, cancel_requested, shown,
  created, started, finished, progress_t, progress_fraction, evaluations, model_name, client, name, tags, keep,
  content_hash, short, analysis, error, report_checksum, runs)
WHERE row_checksum IN (0, checksum(seq, id, status, attempt, crashes, interruptions, cancel_requested, shown,
  created, started, finished, progress_t, progress_fraction, evaluations, model_name, client, name, tags, keep,
  content_hash, short, analysis, error, report_checksum));
