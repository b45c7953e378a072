-- queue.db, version 5: the checksum of the analysis, which lists of jobs tell; 0: not known, as of jobs of before.
ALTER TABLE jobs ADD COLUMN analysis_checksum INTEGER NOT NULL DEFAULT 0;
