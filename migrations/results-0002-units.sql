-- results.db, version 2: the unit of each column, JSON as the labels are. Arrays of before have NULL.
ALTER TABLE arrays ADD COLUMN units TEXT;
