-- Which processes are alive and what each of them has made its own, so that a change can be
-- answered when everybody knows of it.

CREATE TABLE system_members (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  kind varchar(64) NOT NULL,
  started timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Nobody waits for a process beyond this moment, and it does not serve beyond it.
  expires timestamptz NOT NULL,
  -- The form of the catalog that its release publishes.
  form integer NOT NULL,
  -- The version of the catalog that it serves, and the last reset that it has carried out.
  catalog bigint NOT NULL,
  reset bigint NOT NULL,
  -- Why it cannot load what is published; null when it can.
  trouble text
) WITH (fillfactor = 50);

INSERT INTO system_state (name) VALUES ('reset');

-- What a published collection was made from: its table, and stamps of table, estimated number of
-- rows and metadata.
ALTER TABLE system_catalog ADD COLUMN relation oid, ADD COLUMN stamp text,
  ADD COLUMN estimate text, ADD COLUMN metadata text;
