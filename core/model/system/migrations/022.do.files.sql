-- Files: what is known of their bytes, and the bytes in storages that no file refers to: those that
-- arrive, and those of files that were deleted or got other bytes, by whatever way.

-- SHA-256 of the bytes in hexadecimal.
ALTER TABLE system_files ADD COLUMN sha256 varchar(64);
DROP INDEX system_files_uploaded_by;
CREATE INDEX system_files_uploaded_by ON system_files (uploaded_by) INCLUDE (filesize);
CREATE INDEX system_files_filename_disk ON system_files (filename_disk);

CREATE TABLE system_unclaimed_content (
  storage varchar(255) NOT NULL,
  -- As in `filename_disk`.
  name varchar(255) NOT NULL,
  -- `arriving`: from before the first byte to the file that refers to it; `unused`: no file refers to it
  -- any more.
  state varchar(16) NOT NULL CHECK (state IN ('arriving', 'unused')),
  -- Whose quota counts it while it arrives.
  holder varchar(64),
  -- At least what has arrived.
  bytes bigint NOT NULL DEFAULT 0,
  -- When it is given up, if it arrives in pieces; else when nobody has noted it for a while.
  expires_on timestamptz,
  seen_on timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (storage, name)
);
CREATE INDEX system_unclaimed_content_holder ON system_unclaimed_content (holder)
  WHERE holder IS NOT NULL;
CREATE INDEX system_unclaimed_content_seen ON system_unclaimed_content (state, seen_on);

CREATE FUNCTION system_release_content() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
  INSERT INTO system_unclaimed_content (storage, name, state)
    SELECT OLD.storage, OLD.filename_disk, 'unused'
    WHERE NOT EXISTS (SELECT FROM system_files
      WHERE filename_disk = OLD.filename_disk AND storage = OLD.storage)
    ON CONFLICT (storage, name) DO UPDATE SET state = 'unused', holder = NULL, seen_on = clock_timestamp();
  RETURN NULL;
END $$;
CREATE TRIGGER system_release_content AFTER DELETE ON system_files
  FOR EACH ROW WHEN (OLD.filename_disk IS NOT NULL) EXECUTE FUNCTION system_release_content();
CREATE TRIGGER system_replace_content AFTER UPDATE OF storage, filename_disk ON system_files
  FOR EACH ROW WHEN (OLD.filename_disk IS NOT NULL
    AND (OLD.filename_disk, OLD.storage) IS DISTINCT FROM (NEW.filename_disk, NEW.storage))
  EXECUTE FUNCTION system_release_content();

-- Uploads that arrive in pieces, maybe through several edges; kept until they expire, so that a client
-- that missed the last answer still hears it.
CREATE TABLE system_resumable_uploads (
  id uuid PRIMARY KEY,
  -- Who began it, and goes on; null: anybody without a token.
  "user" uuid REFERENCES system_users ON DELETE CASCADE,
  -- What the client says of the file.
  metadata jsonb NOT NULL,
  storage varchar(255) NOT NULL,
  name varchar(255) NOT NULL,
  -- Null until the client tells it.
  length bigint,
  "offset" bigint NOT NULL DEFAULT 0,
  -- What the driver of the storage has to know of the pieces.
  pieces text,
  -- The state of SHA-256 after the pieces, as the library for it saves it.
  hash bytea,
  -- The file, once all is there.
  file uuid,
  created_on timestamptz NOT NULL DEFAULT clock_timestamp(),
  expires_on timestamptz NOT NULL,
  -- Who adds pieces now, until when he will be there, and whether somebody else wants to.
  lock uuid,
  locked_until timestamptz,
  contended boolean NOT NULL DEFAULT false
);
CREATE INDEX system_resumable_uploads_expires_on ON system_resumable_uploads (expires_on);
CREATE INDEX system_resumable_uploads_user ON system_resumable_uploads ("user");
