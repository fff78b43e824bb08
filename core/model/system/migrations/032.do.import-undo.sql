-- What imports kept of the rows that they changed, so that they can be undone.

CREATE TABLE system_import_undos (
  import uuid PRIMARY KEY REFERENCES system_jobs ON DELETE CASCADE,
  -- The account whose quota counts the bytes; null without one.
  holder varchar(64),
  collection varchar(255) NOT NULL,
  -- The columns of the table by then: name and type.
  columns jsonb NOT NULL DEFAULT '[]',
  -- The columns of its primary key, in order.
  "key" text[] NOT NULL DEFAULT '{}',
  -- The columns that the file had.
  written text[] NOT NULL DEFAULT '{}',
  inserted bigint NOT NULL DEFAULT 0,
  updated bigint NOT NULL DEFAULT 0,
  bytes bigint NOT NULL DEFAULT 0,
  created_on timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- The job that undid the import.
  undone_by uuid
);
CREATE INDEX system_import_undos_created_on ON system_import_undos (created_on);
CREATE INDEX system_import_undos_holder ON system_import_undos (holder) WHERE undone_by IS NULL;

-- The changed rows, many in each row of this table.
CREATE TABLE system_import_changes (
  import uuid NOT NULL REFERENCES system_import_undos ON DELETE CASCADE,
  -- Numbers them.
  position bigint GENERATED ALWAYS AS IDENTITY,
  is_new boolean NOT NULL,
  -- The keys as texts; of several columns a JSON array.
  keys text[] NOT NULL,
  -- Hashes of the rows as the import left them.
  hashes bigint[] NOT NULL,
  -- The rows as they were before; null for new rows.
  olds text[]
);
CREATE INDEX system_import_changes_import ON system_import_changes (import);
-- Compression would take longer than the import itself.
ALTER TABLE system_import_changes ALTER keys SET STORAGE EXTERNAL, ALTER hashes SET STORAGE EXTERNAL,
  ALTER olds SET STORAGE EXTERNAL;
