-- How accounts are protected: password login that closes for a while, second factors that only
-- their users take into use, registrations that belong to whoever confirms them; and the policy
-- that permissions of strangers hang on.

ALTER TABLE system_logins
  ADD COLUMN failed_on timestamptz,
  -- Until then no password of this user is looked at.
  ADD COLUMN closed_until timestamptz,
  -- The minute that `addresses` counts failures of, by address.
  ADD COLUMN minute timestamptz,
  ADD COLUMN addresses jsonb,
  -- SHA-256 of the secret that was generated for this user, and when.
  ADD COLUMN tfa_generated text,
  ADD COLUMN tfa_generated_on timestamptz;

-- What each registration of an address asked for; the account gets what is confirmed.
CREATE TABLE system_registrations (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  "user" uuid NOT NULL REFERENCES system_users ON DELETE CASCADE,
  password text NOT NULL,
  first_name varchar(50),
  last_name varchar(50),
  created_on timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX system_registrations_user ON system_registrations ("user", id);

INSERT INTO system_registrations ("user", password, first_name, last_name)
SELECT id, password, first_name, last_name FROM system_users
WHERE status = 'unverified' AND password IS NOT NULL;

-- Not where somebody has already said what strangers may do by a policy of their own.
WITH policy AS (
  INSERT INTO system_policies (id, name, icon, description)
  SELECT '5b0f0cde-0000-4000-8000-000000000001', 'Public', 'public',
    'What everybody may do without signing in'
  WHERE NOT EXISTS (SELECT FROM system_access WHERE role IS NULL AND "user" IS NULL)
  RETURNING id
)
INSERT INTO system_access (policy) SELECT id FROM policy;
