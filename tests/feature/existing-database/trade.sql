-- A trading company whose designers liked capitals, spaces and every word that SQL reserves.

CREATE TABLE "Customers" (
  "CustomerID" char(5) PRIMARY KEY,
  "CompanyName" varchar(40) NOT NULL,
  "Contact Title" varchar(30),
  "Größe" numeric,
  "名前" text
);
INSERT INTO "Customers" VALUES
  ('ALFKI', 'Alfreds Futterkiste', 'Sales "Rep", main', 12.50, '花子'),
  ('AB', 'padded with blanks', NULL, 'NaN', NULL),
  ('A,/%?', 'key of special characters', '', 1e30, '');

CREATE TABLE "Employees" (
  "EmployeeID" smallint PRIMARY KEY,
  "LastName" varchar(20) NOT NULL,
  "BirthDate" date,
  "Photo" bytea,
  "ReportsTo" smallint REFERENCES "Employees"
);
INSERT INTO "Employees" VALUES (1, 'Davolio', '1948-12-08', '\xdeadbeef', NULL),
  (2, 'Fuller', '0044-03-15 BC', NULL, 1), (3, 'Endless', 'infinity', '', 1), (-4, 'Minus', NULL,
  NULL, 2);

CREATE TABLE region (region_id smallint PRIMARY KEY, "description" char(8) NOT NULL);
CREATE TABLE territories (
  territory_id varchar(20) PRIMARY KEY, region_id smallint NOT NULL REFERENCES region
);
CREATE TABLE "EmployeeTerritories" (
  "EmployeeID" smallint REFERENCES "Employees", territory varchar(20) REFERENCES territories,
  PRIMARY KEY ("EmployeeID", territory)
);
INSERT INTO region VALUES (1, 'East'), (2, 'West');
INSERT INTO territories VALUES ('01581', 1), ('a,b', 2), ('c/d', 2), ('ü %', 1);
INSERT INTO "EmployeeTerritories" VALUES (1, '01581'), (1, 'a,b'), (2, 'c/d'), (-4, 'ü %');

CREATE TABLE "order" (
  id serial PRIMARY KEY,
  "customer" char(5) REFERENCES "Customers",
  "select" text, "from" text, "where" boolean, "table" int, "user" name, "group" "char",
  "order" int REFERENCES "order", "desc" xml, "limit" bit(3), "offset" varbit, "primary" cidr
);
INSERT INTO "order" (customer, "select", "from", "where", "table", "user", "group", "order", "limit",
  "offset", "primary") VALUES ('ALFKI', '1', '2', true, 3, 'root', 'x', NULL, B'101', B'1', '10/8'),
  ('AB', NULL, '', false, NULL, NULL, NULL, 1, NULL, NULL, NULL);

CREATE TABLE "Order Details" (
  "Order ID" int NOT NULL REFERENCES "order" ON DELETE CASCADE,
  "Product.Code" text NOT NULL,
  "Unit Price" real NOT NULL CHECK ("Unit Price" >= 0),
  "Quantity, pieces" smallint NOT NULL DEFAULT 1,
  PRIMARY KEY ("Order ID", "Product.Code")
);
INSERT INTO "Order Details" VALUES (1, 'a.b', 1.5, 2), (1, 'c,d', 0.1, 3), (2, '%2C', 2.5, 4);
CREATE TABLE shipment (
  shipment_id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  "order" int NOT NULL, code text NOT NULL, at timestamptz(0) DEFAULT '2024-02-29 12:00:00+02',
  CONSTRAINT "shipment.of part" FOREIGN KEY ("order", code) REFERENCES "Order Details"
);
INSERT INTO shipment VALUES ('5b2c1d1e-0000-4000-8000-000000000000', 1, 'a.b');

-- Names.
CREATE TABLE "Price.List" (id int PRIMARY KEY, "a.b" text, "*" int, "a(b)" int, "-minus" int);
INSERT INTO "Price.List" VALUES (1, 'dot', 2, 3, 4);
CREATE TABLE "What? 100% & more #1; ""quoted"" it's+" (id int PRIMARY KEY, "?" text);
INSERT INTO "What? 100% & more #1; ""quoted"" it's+" VALUES (1, 'a');
CREATE TABLE "注文🛒" ("キー" text PRIMARY KEY, "値" int);
INSERT INTO "注文🛒" VALUES ('値', 1);
CREATE TABLE "ends with a space " (" " int PRIMARY KEY, "	" text);
INSERT INTO "ends with a space " VALUES (1, 'tab');
CREATE TABLE a23456789_123456789_123456789_123456789_123456789_123456789_123
  (b23456789_123456789_123456789_123456789_123456789_123456789_123 int PRIMARY KEY, v int);
INSERT INTO a23456789_123456789_123456789_123456789_123456789_123456789_123 VALUES (1, 1);
CREATE TABLE members (
  id int PRIMARY KEY, collection text, item text, fields text, filter text, sort text, search text,
  deep text, alias text, meta text, data text, keys text, query text, "_and" int, "_eq" int,
  "$CURRENT_USER" text, "$thumb" text, "constructor" text, "__proto__" text, "toString" text,
  "hasOwnProperty" text, "then" text, "0" int
);
INSERT INTO members VALUES (1, 'c', 'i', 'f', 'f', 's', 's', 'd', 'a', 'm', 'd', 'k', 'q', 1, 2, 'u',
  't', 'con', 'pro', 'ts', 'has', 'then', 0);
CREATE TABLE constructor (id int PRIMARY KEY, "valueOf" text);
INSERT INTO constructor VALUES (1, 'v');
CREATE TABLE "__proto__" (id int PRIMARY KEY, parent int REFERENCES "__proto__");
INSERT INTO "__proto__" VALUES (1, NULL), (2, 1);
CREATE TABLE "a/b" (id int PRIMARY KEY);
CREATE TABLE system_of_a_customer (id int PRIMARY KEY);

-- Keys.
CREATE TYPE weekday AS ENUM ('mon', 'tue', 'wed, or so');
CREATE DOMAIN sku AS varchar(12) CHECK (VALUE ~ '^[A-Z]');
CREATE TABLE key_of_enum (day weekday PRIMARY KEY, v int);
CREATE TABLE key_of_domain (sku sku PRIMARY KEY, v int);
CREATE TABLE key_of_boolean (yes boolean PRIMARY KEY, v int);
CREATE TABLE key_of_moment (at timestamptz PRIMARY KEY, v int);
CREATE TABLE key_of_day (day date PRIMARY KEY, v int);
CREATE TABLE key_of_number (number numeric PRIMARY KEY, v int);
CREATE TABLE key_of_bytes (bytes bytea PRIMARY KEY, v int);
CREATE TABLE key_of_address (address inet PRIMARY KEY, v int);
CREATE TABLE key_of_span (span interval PRIMARY KEY, v int);
CREATE TABLE key_of_range (range int4range PRIMARY KEY, v int);
CREATE TABLE key_of_list (list int[] PRIMARY KEY, v int);
CREATE TABLE key_of_float (float double precision PRIMARY KEY, v int);
CREATE TABLE key_of_many (a int, b text, c date, d uuid, e boolean, v int, PRIMARY KEY (e, d, c, b, a));
CREATE TABLE key_alone (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY);
INSERT INTO key_of_enum VALUES ('mon', 1), ('wed, or so', 2);
INSERT INTO key_of_domain VALUES ('A-1', 1);
INSERT INTO key_of_boolean VALUES (true, 1);
INSERT INTO key_of_moment VALUES ('2024-02-29 12:00:00+00', 1);
INSERT INTO key_of_day VALUES ('2024-02-29', 1);
INSERT INTO key_of_number VALUES (1.50, 1), (12345678901234567890.123, 2);
INSERT INTO key_of_bytes VALUES ('\x00ff', 1);
INSERT INTO key_of_address VALUES ('10.0.0.0/8', 1), ('::1', 2);
INSERT INTO key_of_span VALUES ('1 day 02:03:04', 1);
INSERT INTO key_of_range VALUES ('[1,5)', 1);
INSERT INTO key_of_list VALUES ('{1,2}', 1);
INSERT INTO key_of_float VALUES (0.1, 1), (1e-7, 2);
INSERT INTO key_of_many VALUES (1, 'a,b/c', '2024-01-01', '00000000-0000-4000-8000-00000000000a', true, 1);
INSERT INTO key_alone DEFAULT VALUES;

-- No key, or one that is none.
CREATE TABLE log (at timestamptz DEFAULT '2024-01-01 00:00:00+00', line text, tags text[]);
INSERT INTO log (line, tags) VALUES ('first', '{a}'), ('second', NULL), ('first', '{}');
CREATE TABLE unique_only (code text UNIQUE, other int);
INSERT INTO unique_only VALUES ('a', 1), (NULL, 2);
CREATE TABLE word (word text UNIQUE NOT NULL, id int PRIMARY KEY);
INSERT INTO word VALUES ('a', 1), ('b', 2);
CREATE TABLE points_to_unique (
  id int PRIMARY KEY, code text REFERENCES unique_only (code),
  CONSTRAINT "second, too" FOREIGN KEY (code) REFERENCES word (word)
);
INSERT INTO points_to_unique VALUES (1, 'a'), (2, NULL);
CREATE TABLE without_columns ();

-- Inheritance, other schemas, and views that can be written to.
CREATE TABLE city (name text PRIMARY KEY, people bigint);
CREATE TABLE capital (state char(2) UNIQUE NOT NULL, PRIMARY KEY (name)) INHERITS (city);
INSERT INTO city VALUES ('Las Vegas', 646790);
INSERT INTO capital VALUES ('Sacramento', 524943, 'CA');
CREATE SCHEMA elsewhere;
CREATE TYPE elsewhere.colour AS ENUM ('red');
CREATE TABLE elsewhere.hidden (id int PRIMARY KEY);
CREATE TABLE "Points Elsewhere" (id int PRIMARY KEY, there int REFERENCES elsewhere.hidden,
  colour elsewhere.colour);
INSERT INTO elsewhere.hidden VALUES (7);
INSERT INTO "Points Elsewhere" VALUES (1, 7, 'red'), (2, NULL, NULL);
CREATE VIEW "Current Orders" AS SELECT id AS "Order ID", customer AS "Customer.ID" FROM "order";
CREATE VIEW totals ("order", total) AS
  SELECT "Order ID", sum("Unit Price" * "Quantity, pieces") FROM "Order Details" GROUP BY 1;
