-- What identity keeps beside the users: how their attempts to sign in went, and which sessions
-- ended before their time.

-- A session that lives in a cookie is renewed by that cookie and by nothing else; its token is
-- known to nobody, and `next_token` is that of the session that replaced it.
ALTER TABLE system_sessions ADD COLUMN cookie boolean NOT NULL DEFAULT false;

CREATE TABLE system_logins (
  "user" uuid PRIMARY KEY REFERENCES system_users ON DELETE CASCADE,
  -- Wrong passwords and codes since the last login that succeeded.
  failures integer NOT NULL DEFAULT 0,
  -- Time step of the last one-time password that was used (RFC 6238): each works once.
  otp_step bigint
);

-- Sessions that ended early, for the processes that remember sessions. Each row has the value of
-- the counter that it raised, so that whoever misses one notices; null stands for all sessions.
CREATE TABLE system_session_ends (
  version bigint NOT NULL,
  session uuid,
  noted timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX system_session_ends_version ON system_session_ends (version);
CREATE INDEX system_session_ends_noted ON system_session_ends (noted);

INSERT INTO system_state (name) VALUES ('sessions');

-- The counter's row lock makes the order of versions that of the commits.
CREATE FUNCTION system_note_session_end() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
DECLARE
  raised bigint;
  ended uuid;
BEGIN
  IF TG_OP <> 'TRUNCATE' THEN ended := OLD.id; END IF;
  UPDATE system_state SET version = version + 1 WHERE name = 'sessions'
    RETURNING version INTO raised;
  INSERT INTO system_session_ends (version, session) VALUES (raised, ended);
  DELETE FROM system_session_ends WHERE noted < clock_timestamp() - interval '10 minutes';
  RETURN NULL;
END
$$;

-- Deferred to the commit: the counter is then locked for a moment only, and after all other rows,
-- so that nobody who signs out waits for a long transaction, or waits in a circle.
CREATE CONSTRAINT TRIGGER system_note_session_end AFTER DELETE ON system_sessions
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD.expires > now())
  EXECUTE FUNCTION system_note_session_end();
CREATE CONSTRAINT TRIGGER system_note_session_shortened AFTER UPDATE ON system_sessions
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (OLD.expires > now() AND (NEW.expires < OLD.expires OR NEW.id <> OLD.id
    OR NEW."user" IS DISTINCT FROM OLD."user"))
  EXECUTE FUNCTION system_note_session_end();
CREATE TRIGGER system_note_sessions_truncated AFTER TRUNCATE ON system_sessions
  FOR EACH STATEMENT EXECUTE FUNCTION system_note_session_end();

-- Whoever is not active has no session, also when the status was changed with another client.
CREATE FUNCTION system_end_user_sessions() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
  DELETE FROM system_sessions WHERE "user" = NEW.id;
  RETURN NULL;
END
$$;
CREATE TRIGGER system_end_user_sessions AFTER UPDATE OF status ON system_users
  FOR EACH ROW WHEN (NEW.status <> 'active') EXECUTE FUNCTION system_end_user_sessions();
