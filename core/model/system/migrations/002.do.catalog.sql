-- What the processes of a cluster share about the catalog: its published form, the counters by
-- which each process sees that something changed, and the leases of elected processes.

-- `version` is raised in the transaction of the change that it counts.
CREATE TABLE system_state (
  name text PRIMARY KEY,
  version bigint NOT NULL DEFAULT 0,
  value jsonb
) WITH (fillfactor = 50);

INSERT INTO system_state (name, value) VALUES
  ('catalog', '{}'),
  ('left out', '[]'),
  ('metadata', NULL),
  ('access', NULL),
  ('cluster', to_jsonb(gen_random_uuid()));

-- One row for each collection that was ever published; `descriptor` is null when it is gone.
CREATE TABLE system_catalog (
  collection text PRIMARY KEY,
  version bigint NOT NULL,
  digest text,
  descriptor json
);
CREATE INDEX system_catalog_version ON system_catalog (version);

CREATE TABLE system_leases (
  name text PRIMARY KEY,
  holder uuid NOT NULL,
  expires timestamptz NOT NULL
) WITH (fillfactor = 50);

-- Raises the counter that the trigger names, so that rows written with any client are noticed.
-- A statement that changes nothing may raise it too: that costs a look and does no harm.
CREATE FUNCTION system_count_change() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
  UPDATE system_state SET version = version + 1 WHERE name = TG_ARGV[0];
  RETURN NULL;
END
$$;

CREATE TRIGGER system_count_change AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE
  ON system_collections FOR EACH STATEMENT EXECUTE FUNCTION system_count_change('metadata');
CREATE TRIGGER system_count_change AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE
  ON system_fields FOR EACH STATEMENT EXECUTE FUNCTION system_count_change('metadata');
CREATE TRIGGER system_count_change AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE
  ON system_relations FOR EACH STATEMENT EXECUTE FUNCTION system_count_change('metadata');

CREATE TRIGGER system_count_change AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE
  ON system_permissions FOR EACH STATEMENT EXECUTE FUNCTION system_count_change('access');
CREATE TRIGGER system_count_change AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE
  ON system_policies FOR EACH STATEMENT EXECUTE FUNCTION system_count_change('access');
CREATE TRIGGER system_count_change AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE
  ON system_access FOR EACH STATEMENT EXECUTE FUNCTION system_count_change('access');
CREATE TRIGGER system_count_change AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE
  ON system_roles FOR EACH STATEMENT EXECUTE FUNCTION system_count_change('access');
CREATE TRIGGER system_count_change AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE
  ON system_settings FOR EACH STATEMENT EXECUTE FUNCTION system_count_change('access');

-- Every column but last_access and last_page, which change with almost every request.
CREATE TRIGGER system_count_change AFTER INSERT OR DELETE OR TRUNCATE OR UPDATE OF
    id, first_name, last_name, email, password, location, title, description, tags, avatar,
    language, text_direction, appearance, theme_light, theme_dark, theme_light_overrides,
    theme_dark_overrides, tfa_secret, email_notifications, status, role, token, provider,
    external_identifier, auth_data
  ON system_users FOR EACH STATEMENT EXECUTE FUNCTION system_count_change('access');
