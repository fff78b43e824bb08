-- Dashboards of the Admin App, and their panels.

CREATE TABLE system_dashboards (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  name varchar(255) NOT NULL,
  icon varchar(64) NOT NULL DEFAULT 'dashboard',
  note text,
  color varchar(255),
  date_created timestamptz DEFAULT now(),
  user_created uuid REFERENCES system_users ON DELETE SET NULL
);
CREATE INDEX system_dashboards_user_created ON system_dashboards (user_created);

CREATE TABLE system_panels (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  dashboard uuid NOT NULL REFERENCES system_dashboards ON DELETE CASCADE,
  name varchar(255),
  icon varchar(64),
  color varchar(10),
  show_header boolean NOT NULL DEFAULT false,
  note text,
  type varchar(255) NOT NULL,
  position_x integer NOT NULL,
  position_y integer NOT NULL,
  width integer NOT NULL,
  height integer NOT NULL,
  options json,
  date_created timestamptz DEFAULT now(),
  user_created uuid REFERENCES system_users ON DELETE SET NULL
);
CREATE INDEX system_panels_dashboard ON system_panels (dashboard);
CREATE INDEX system_panels_user_created ON system_panels (user_created);
