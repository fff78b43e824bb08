-- What of rights, users and settings changed, so that a process forgets that and nothing else; and
-- which changes each process has made its own, so that whoever made one can wait for it.

-- The versions of the counters `access` and `sessions` that a process answers by; null for releases
-- that do not tell.
ALTER TABLE system_members ADD COLUMN access bigint, ADD COLUMN sessions bigint;

-- The version of the catalog when a job was accepted: no older one is good enough for it.
ALTER TABLE system_jobs ADD COLUMN catalog bigint NOT NULL DEFAULT 0;

-- Each row has the value of the counter that it raised, so that whoever misses one notices.
CREATE TABLE system_access_changes (
  version bigint NOT NULL,
  -- What the key is of: `user`, `role`, `policy`, `permission` (of a policy), `public`, `settings`;
  -- `access` for any of the first five.
  kind varchar(16) NOT NULL,
  -- Null: all of that kind.
  key text,
  noted timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX system_access_changes_version ON system_access_changes (version);
CREATE INDEX system_access_changes_noted ON system_access_changes (noted);

-- The argument is the kind of what the rows are. A statement that changes nothing raises nothing;
-- one that changes very much is told as a whole. Rows are compared as text, because a value of type
-- json may hold what no function for json takes.
CREATE FUNCTION system_note_access() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
DECLARE
  kind CONSTANT text := TG_ARGV[0];
  most CONSTANT integer := 1000;
  many boolean := TG_OP = 'TRUNCATE';
  found_rows refcursor;
  item record;
  is_before boolean;
  entry text;
  before text[] := '{}';
  after text[] := '{}';
  changed text[];
  raised bigint;
BEGIN
  IF TG_OP = 'INSERT' THEN
    OPEN found_rows FOR SELECT false AS is_before, n.* FROM new_rows n LIMIT most + 1;
  ELSIF TG_OP = 'DELETE' THEN
    OPEN found_rows FOR SELECT true AS is_before, o.* FROM old_rows o LIMIT most + 1;
  ELSIF TG_OP = 'UPDATE' THEN
    OPEN found_rows FOR (SELECT true AS is_before, o.* FROM old_rows o LIMIT most + 1)
      UNION ALL SELECT false, n.* FROM new_rows n;
  END IF;
  WHILE NOT many LOOP
    FETCH found_rows INTO item;
    EXIT WHEN NOT FOUND;
    is_before := item.is_before;
    item.is_before := NULL;
    IF kind = 'permission' THEN
      entry := 'permission:' || coalesce(item.policy::text, '');
    ELSIF kind = 'settings' THEN
      entry := 'settings:';
    ELSIF kind = 'access' THEN
      entry := concat_ws(',', 'role:' || item.role, 'user:' || item."user",
        CASE WHEN item.role IS NULL AND item."user" IS NULL THEN 'public:' END);
    ELSE
      entry := kind || ':' || item.id;
    END IF;
    IF kind = 'user' THEN
      -- They change with almost every request.
      item.last_access := NULL;
      item.last_page := NULL;
    END IF;
    entry := entry || ' ' || item::text;
    IF is_before THEN before := before || entry; ELSE after := after || entry; END IF;
    many := greatest(cardinality(before), cardinality(after)) > most;
  END LOOP;
  IF NOT many THEN
    SELECT array_agg(DISTINCT k) INTO changed
    FROM ((SELECT unnest(before) EXCEPT SELECT unnest(after))
      UNION ALL (SELECT unnest(after) EXCEPT SELECT unnest(before))) AS d (e),
      unnest(string_to_array(split_part(e, ' ', 1), ',')) AS k;
    IF changed IS NULL THEN RETURN NULL; END IF;
  END IF;
  UPDATE system_state SET version = version + 1 WHERE name = 'access' RETURNING version INTO raised;
  IF many THEN
    INSERT INTO system_access_changes (version, kind) VALUES (raised, kind);
  ELSE
    INSERT INTO system_access_changes (version, kind, key)
    SELECT raised, split_part(k, ':', 1), nullif(split_part(k, ':', 2), '')
    FROM unnest(changed) AS k;
  END IF;
  DELETE FROM system_access_changes WHERE noted < clock_timestamp() - interval '10 minutes';
  RETURN NULL;
END
$$;

-- A trigger that sees the rows it is told of has one event.
DO $$
DECLARE
  told record;
BEGIN
  FOR told IN SELECT * FROM (VALUES
    ('system_permissions', 'permission'),
    ('system_policies', 'policy'),
    ('system_access', 'access'),
    ('system_roles', 'role'),
    ('system_users', 'user'),
    ('system_settings', 'settings')) AS v (name, kind)
  LOOP
    EXECUTE format('DROP TRIGGER system_count_change ON %I', told.name);
    EXECUTE format('CREATE TRIGGER system_count_change_insert AFTER INSERT ON %I
      REFERENCING NEW TABLE AS new_rows
      FOR EACH STATEMENT EXECUTE FUNCTION system_note_access(%L)', told.name, told.kind);
    EXECUTE format('CREATE TRIGGER system_count_change_update AFTER UPDATE ON %I
      REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
      FOR EACH STATEMENT EXECUTE FUNCTION system_note_access(%L)', told.name, told.kind);
    EXECUTE format('CREATE TRIGGER system_count_change_delete AFTER DELETE ON %I
      REFERENCING OLD TABLE AS old_rows
      FOR EACH STATEMENT EXECUTE FUNCTION system_note_access(%L)', told.name, told.kind);
    EXECUTE format('CREATE TRIGGER system_count_change_truncate AFTER TRUNCATE ON %I
      FOR EACH STATEMENT EXECUTE FUNCTION system_note_access(%L)', told.name, told.kind);
  END LOOP;
END
$$;
