-- PostgreSQL, version 3: what each client uses, in parts, as `counts`: the sum of a client's parts counts.
CREATE TABLE client_use (
  client text COLLATE "C" NOT NULL,
  part int NOT NULL,
  bytes bigint NOT NULL DEFAULT 0, -- of its jobs
  day int NOT NULL,                -- of the last change: days since 1970, UTC, by the database's clock
  cpu float8 NOT NULL DEFAULT 0,   -- processor time of its jobs on that day [s]
  PRIMARY KEY (client, part)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500,
        autovacuum_vacuum_cost_delay = 0);
CREATE FUNCTION today() RETURNS int LANGUAGE sql VOLATILE AS $$ SELECT floor(clock() / 86400)::int $$;
INSERT INTO client_use (client, part, bytes, day)
  SELECT client, 0, sum(bytes)::bigint, today() FROM jobs GROUP BY client HAVING sum(bytes) <> 0;
