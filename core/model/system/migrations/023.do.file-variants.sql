-- Other forms of images, made once for all who ask for them; whose uploads are open.

ALTER TABLE system_resumable_uploads ADD COLUMN holder varchar(64);
CREATE INDEX system_resumable_uploads_holder ON system_resumable_uploads (holder) WHERE file IS NULL;

CREATE TABLE system_file_variants (
  file uuid NOT NULL REFERENCES system_files ON DELETE CASCADE,
  -- What was asked for, and in which format.
  key varchar(64) NOT NULL,
  -- Where its bytes are, as those of files; null for one that cannot be made.
  storage varchar(255),
  name varchar(255),
  type varchar(255),
  bytes bigint,
  sha256 varchar(64),
  -- Why it cannot be made.
  reason text,
  made_on timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (file, key),
  CHECK ((name IS NULL) = (reason IS NOT NULL))
);
CREATE INDEX system_file_variants_name ON system_file_variants (name);

CREATE FUNCTION system_release_variant() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
  INSERT INTO system_unclaimed_content (storage, name, state) VALUES (OLD.storage, OLD.name, 'unused')
    ON CONFLICT (storage, name) DO UPDATE SET state = 'unused', holder = NULL, seen_on = clock_timestamp();
  RETURN NULL;
END $$;
CREATE TRIGGER system_release_variant AFTER DELETE ON system_file_variants
  FOR EACH ROW WHEN (OLD.name IS NOT NULL) EXECUTE FUNCTION system_release_variant();

-- Other bytes have other variants.
CREATE FUNCTION system_forget_variants() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
  DELETE FROM system_file_variants WHERE file = OLD.id;
  RETURN NULL;
END $$;
CREATE TRIGGER system_forget_variants AFTER UPDATE OF storage, filename_disk ON system_files
  FOR EACH ROW WHEN ((OLD.filename_disk, OLD.storage) IS DISTINCT FROM (NEW.filename_disk, NEW.storage))
  EXECUTE FUNCTION system_forget_variants();
