/** A database full of things that somebody must not see, each of them marked by a word. */
import { createHash, randomUUID } from 'node:crypto';
import type { Cluster } from '#tests/harness/cluster.ts';
import { createSample } from '#tests/harness/sample.ts';
import { until } from '#tests/harness/until.ts';

/** Stands in what nobody may ever read: hashes, secrets, concealed values. */
export const CONCEALED = 'canaryconcealed';
/** Stands in what only administrators may read: rows and columns that nobody else is granted. */
export const HIDDEN = 'canaryhidden';
/** The same as a number. */
export const HIDDEN_NUMBER = '7310958246173';

const TABLES = `
CREATE TYPE mood AS ENUM ('sad', 'fine', 'glad');
CREATE TABLE things (
  id serial PRIMARY KEY, name text, secret text, amount bigint, masked text, hashed text,
  doc jsonb, numbers int[], words text[], at timestamptz, local timestamp, day date, tod time,
  price numeric(10, 2), ratio float8, ok boolean, list text, uid uuid, mood mood, bytes bytea,
  short varchar(10), visible boolean NOT NULL DEFAULT true, parent int REFERENCES things(id),
  owner uuid REFERENCES system_users(id));
CREATE INDEX ON things (parent);
CREATE TABLE pairs (a int, b text, value text, hidden text, PRIMARY KEY (a, b));
CREATE TABLE "Odd "" name" (id int PRIMARY KEY, "Mixed Case" text, "a.b" text, "select" text);
CREATE TABLE secrets (id serial PRIMARY KEY, thing int REFERENCES things(id), text text);
CREATE VIEW seen AS SELECT id, name, secret FROM things WHERE visible;
INSERT INTO system_fields (collection, field, special) VALUES
  ('things', 'masked', 'conceal'), ('things', 'hashed', 'hash,conceal'), ('things', 'list', 'csv');
INSERT INTO things (name, secret, amount, masked, hashed, doc, numbers, words, at, local, day, tod,
    price, ratio, ok, list, uid, mood, bytes, short, visible, parent)
  SELECT CASE WHEN i % 4 = 0 THEN '${HIDDEN}' ELSE 'thing ' || i END, '${HIDDEN} ' || i,
    ${HIDDEN_NUMBER}, '${CONCEALED}', '$argon2id$${CONCEALED}',
    jsonb_build_object('a', i, 'b', jsonb_build_array(i, 'x')), ARRAY[i, i + 1], ARRAY['p', 'q'],
    now(), now()::timestamp, current_date, '12:00', i, i / 3.0, i % 2 = 0, 'x,y',
    gen_random_uuid(), 'fine', '\\x00ff', 'short', i % 4 <> 0, nullif(i / 2, 0)
  FROM generate_series(1, 40) i;
INSERT INTO pairs SELECT i, 'b' || i, 'value', '${HIDDEN}' FROM generate_series(1, 5) i;
INSERT INTO "Odd "" name" VALUES (1, 'x', 'y', 'z');
INSERT INTO secrets (thing, text) SELECT i, '${HIDDEN}' FROM generate_series(1, 10) i;
INSERT INTO system_users (email, password, tfa_secret, token, auth_data)
  SELECT '${HIDDEN}' || i || '@example.com', '$argon2id$${CONCEALED}', '${CONCEALED}',
    '${CONCEALED}' || i, '{"x": "${CONCEALED}"}' FROM generate_series(1, 3) i;
`;

const GRANTED = [
  'id,name,masked,hashed,doc,numbers,words,at,local,day,tod,ratio,ok,list,uid,mood,bytes,short,visible,parent,things,owner',
  'id,price,parent',
];

const PERMISSIONS: readonly (readonly [string, string, object | null, string])[] = [
  ['things', 'read', { visible: { _eq: true } }, GRANTED[0] ?? ''],
  ['things', 'read', { visible: { _eq: true }, ok: { _eq: true } }, GRANTED[1] ?? ''],
  ['things', 'create', null, 'name,masked,doc,price,at,parent,short'],
  ['things', 'update', { visible: { _eq: true } }, 'name,masked,doc,price,at,short'],
  ['pairs', 'read', null, 'a,b,value'],
  ['Odd " name', 'read', null, '*'],
  ['seen', 'read', null, 'id,name'],
  ['articles', 'read', null, '*'],
  ['authors', 'read', { id: { _lt: 5 } }, 'id,name,articles'],
  ['tags', 'read', null, '*'],
  ['articles_tags', 'read', null, '*'],
  ['comments', 'read', { article_id: { author_id: { id: { _lt: 5 } } } }, '*'],
  ['pages', 'read', null, '*'],
  ['pages_blocks', 'read', null, '*'],
  ['block_text', 'read', null, '*'],
  [
    'system_users',
    'read',
    { id: { _eq: '$CURRENT_USER' } },
    'id,email,password,token,tfa_secret,role',
  ],
  ['system_users', 'update', { id: { _eq: '$CURRENT_USER' } }, 'first_name,tags,language'],
  ['system_roles', 'read', { id: { _in: '$CURRENT_ROLES' } }, 'id,name,users'],
];

/** Fills the database of a cluster and makes a user who may see some of it. Returns its token. */
export async function plant(cluster: Cluster): Promise<string> {
  const { db } = cluster;
  await createSample(db);
  await db.query(TABLES);
  await db.query('UPDATE authors SET bio = $1, email = $1 || id', [HIDDEN]);
  await db.query('UPDATE block_hero SET headline = $1', [HIDDEN]);
  const [user, role, policy, token] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  await db.query("INSERT INTO system_policies (id, name, app_access) VALUES ($1, 'some', true)", [
    policy,
  ]);
  await db.query("INSERT INTO system_roles (id, name) VALUES ($1, 'some')", [role]);
  await db.query('INSERT INTO system_access (role, policy) VALUES ($1, $2)', [role, policy]);
  for (const [collection, action, rule, fields] of PERMISSIONS) {
    await db.query(
      `INSERT INTO system_permissions (policy, collection, action, permissions, fields)
       VALUES ($1, $2, $3, $4, $5)`,
      [policy, collection, action, rule, fields],
    );
  }
  await db.query('INSERT INTO system_users (id, email, role, token) VALUES ($1, $2, $3, $4)', [
    user,
    'some@example.com',
    role,
    createHash('sha256').update(token).digest('hex'),
  ]);
  const headers = { authorization: `Bearer ${token}` };
  const list = `${cluster.url}/items/${encodeURIComponent('Odd " name')}?limit=1`;
  await until(async () => (await fetch(list, { headers })).ok, 'the user and the tables are known');
  return token;
}
