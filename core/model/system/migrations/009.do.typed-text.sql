-- Texts that fields read as values of another type; what cannot be read yields what is said here,
-- never an error, so that one bad row does not cost a whole list.

-- A text that is no JSON is the JSON string of that text.
CREATE FUNCTION system_json_of(value text) RETURNS json
  LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog AS $$
BEGIN
  PERFORM value::jsonb;
  RETURN value::json;
EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
  RETURN to_json(value);
END $$;

-- A text that is no moment in ISO-8601 is null; without a zone it is meant in UTC.
CREATE FUNCTION system_moment_of(value text) RETURNS timestamptz
  LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
  SET search_path = pg_catalog SET TimeZone = 'UTC' AS $$
BEGIN
  IF value !~ '^\s*(\d{4,6}-\d\d-\d\d|-?infinity)' THEN RETURN NULL; END IF;
  RETURN value::timestamptz;
EXCEPTION WHEN data_exception THEN
  RETURN NULL;
END $$;
