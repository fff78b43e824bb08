-- Named options of imports, each with the source of its file.

CREATE TABLE system_import_profiles (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  name varchar(255) NOT NULL CONSTRAINT system_import_profiles_name UNIQUE,
  collection varchar(255) NOT NULL,
  source json,
  mapping json,
  options json,
  mode varchar(16),
  note text,
  date_created timestamptz DEFAULT now(),
  user_created uuid REFERENCES system_users ON DELETE SET NULL
);
CREATE INDEX system_import_profiles_user_created ON system_import_profiles (user_created);
