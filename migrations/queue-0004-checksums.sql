-- queue.db, version 4: checksums (XXH3) of the texts that numbers are in; 0: not known, as of jobs of before.
ALTER TABLE documents ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN report_checksum INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN error_checksum INTEGER NOT NULL DEFAULT 0;
