// An error names only what its reader may read. Every name of the database that a member may not
// know holds the word below; a member must never see it, an administrator must.
import t from 'tap';
import { type Cluster, startCluster } from '#tests/harness/cluster.ts';
import { createMember, type GivenPermission, type MemberUser } from '#tests/harness/member.ts';
import { until } from '#tests/harness/until.ts';
import { upload } from '#tests/harness/upload.ts';

const CANARY = /canary/i;

const SITE = `
  CREATE TYPE mood_canary AS ENUM ('glad_canary', 'sad_canary');
  CREATE DOMAIN small_canary AS int CONSTRAINT small_canary_check CHECK (VALUE < 10);
  CREATE TABLE hidden_canary (id int PRIMARY KEY, name_canary text NOT NULL UNIQUE);
  INSERT INTO hidden_canary VALUES (1, 'value_canary');
  CREATE TABLE parents (id int PRIMARY KEY, name text);
  CREATE TABLE things (
    id int PRIMARY KEY,
    title text,
    secret_canary text DEFAULT 'value_canary',
    other_canary text,
    part_canary text DEFAULT 'value_canary',
    group_no int DEFAULT 0,
    expression text,
    partial text,
    limited int,
    small small_canary,
    amount numeric(4, 1),
    during int4range,
    target int DEFAULT 1 REFERENCES hidden_canary,
    parent int REFERENCES parents,
    place int,
    generated_canary text GENERATED ALWAYS AS ('value_canary' || id) STORED,
    CONSTRAINT only_secret_canary UNIQUE (other_canary),
    CONSTRAINT pair_canary UNIQUE (part_canary, group_no),
    CONSTRAINT limited_canary CHECK (limited < 100),
    CONSTRAINT both_canary CHECK (secret_canary <> 'value_canary' OR limited <> 7),
    CONSTRAINT during_canary EXCLUDE USING gist (during WITH &&)
  );
  CREATE UNIQUE INDEX expression_canary ON things (lower(expression), lower(secret_canary));
  CREATE UNIQUE INDEX partial_canary ON things (partial) WHERE secret_canary = 'value_canary';
  CREATE TABLE children_canary (id int PRIMARY KEY, thing_canary int CONSTRAINT child_canary REFERENCES things);
  CREATE FUNCTION raise_canary() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF NEW.title = 'raise' THEN RAISE EXCEPTION 'raised canary'; END IF;
    IF TG_OP = 'UPDATE' AND NEW.place = 11 AND OLD.place = 12 THEN RAISE EXCEPTION 'raised canary'; END IF;
    IF NEW.title = 'own' THEN RAISE EXCEPTION 'raised canary' USING ERRCODE = '45000', DETAIL = 'canary', HINT = 'canary'; END IF;
    IF NEW.title = 'audit' THEN INSERT INTO hidden_canary VALUES (2, 'value_canary'); END IF;
    IF NEW.title = 'null' THEN INSERT INTO hidden_canary VALUES (2, null); END IF;
    IF NEW.title = 'cast' THEN PERFORM 'nothing'::mood_canary; END IF;
    IF NEW.title = 'zero' THEN PERFORM 1 / 0; END IF;
    IF NEW.title = 'wrong' THEN PERFORM * FROM missing_canary; END IF;
    IF NEW.title = 'long' THEN NEW.other_canary := NULL; PERFORM 'value_canary'::varchar(3)::int; END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER raise_canary BEFORE INSERT OR UPDATE ON things FOR EACH ROW EXECUTE FUNCTION raise_canary();
  CREATE TABLE required (id int PRIMARY KEY, title text, needed_canary text NOT NULL);
  INSERT INTO things (id, title, other_canary, part_canary, group_no, expression, partial, during)
    VALUES (1, 'one', 'taken', 'value_canary', 1, 'Same', 'same', '[1,5)');
  INSERT INTO children_canary VALUES (1, 1);
  CREATE VIEW broken AS SELECT id, 1 / (id - 1) AS quotient, secret_canary FROM things;`;

let cluster: Cluster;
let member: MemberUser;
let revision: string;

const FIELDS = [
  ...['id', 'title', 'group_no', 'expression', 'partial', 'limited', 'small', 'amount'],
  ...['during', 'target', 'parent', 'place'],
];

/** Writes what it names; reads little. */
const RIGHTS: readonly GivenPermission[] = [
  { collection: 'things', action: 'read', fields: FIELDS },
  { collection: 'things', action: 'create', fields: FIELDS },
  { collection: 'things', action: 'update', fields: FIELDS },
  { collection: 'things', action: 'delete' },
  { collection: 'required', action: 'create', fields: ['id', 'title'] },
  { collection: 'required', action: 'read', fields: ['id', 'title'] },
  { collection: 'parents', action: 'create' },
  { collection: 'parents', action: 'read' },
  { collection: 'system_revisions', action: 'read' },
  { collection: 'broken', action: 'read', fields: ['id', 'quotient'] },
];

interface Attempt {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** The code and field in both answers. */
  readonly code: string;
  readonly field?: string;
  /** What an administrator sees. */
  readonly shown?: RegExp;
}

const create = (body: object, more: Pick<Attempt, 'code' | 'field' | 'shown'>): Attempt => ({
  method: 'POST',
  path: '/items/things',
  body: { group_no: 50, ...body },
  ...more,
});

const ATTEMPTS: Readonly<Record<string, Attempt>> = {
  'primary key': create({ id: 1 }, { code: 'RECORD_NOT_UNIQUE', field: 'id' }),
  'composite unique': create(
    { id: 10, group_no: 1 },
    { code: 'RECORD_NOT_UNIQUE', shown: /part_canary,group_no/ },
  ),
  'unique expression': create(
    { id: 10, expression: 'SAME' },
    { code: 'RECORD_NOT_UNIQUE', shown: /"expression,secret_canary"/ },
  ),
  'partial unique': create(
    { id: 10, partial: 'same' },
    { code: 'RECORD_NOT_UNIQUE', field: 'partial', shown: /partial_canary/ },
  ),
  exclusion: create(
    { id: 10, during: '[2,3)' },
    { code: 'RECORD_NOT_UNIQUE', field: 'during', shown: /during_canary/ },
  ),
  check: create(
    { id: 10, limited: 100 },
    { code: 'FAILED_VALIDATION', field: 'limited', shown: /limited_canary/ },
  ),
  'check of a row that looks like a key': create(
    { id: 10, limited: 100, title: 'a)=(b' },
    { code: 'FAILED_VALIDATION', field: 'limited' },
  ),
  'check of a hidden column': create(
    { id: 10, limited: 7 },
    { code: 'FAILED_VALIDATION', shown: /both_canary/ },
  ),
  domain: create(
    { id: 10, small: 12 },
    { code: 'FAILED_VALIDATION', field: 'small', shown: /small_canary_check/ },
  ),
  'exception of a trigger': create(
    { id: 10, title: 'raise' },
    { code: 'FAILED_VALIDATION', shown: /raised canary/ },
  ),
  'exception with a code of its own': create(
    { id: 10, title: 'own' },
    { code: 'FAILED_VALIDATION', shown: /raised canary/ },
  ),
  'unique violation in a hidden table': create(
    { id: 10, title: 'audit' },
    { code: 'RECORD_NOT_UNIQUE', shown: /hidden_canary/ },
  ),
  'null in a hidden table': create(
    { id: 10, title: 'null' },
    { code: 'NOT_NULL_VIOLATION', shown: /name_canary/ },
  ),
  'member of a hidden enum': create(
    { id: 10, title: 'cast' },
    { code: 'FAILED_VALIDATION', shown: /mood_canary/ },
  ),
  'division in a trigger': create({ id: 10, title: 'zero' }, { code: 'FAILED_VALIDATION' }),
  'missing table in a trigger': create(
    { id: 10, title: 'wrong' },
    { code: 'INTERNAL_SERVER_ERROR', shown: /missing_canary/ },
  ),
  'hidden text as a number': create({ id: 10, title: 'long' }, { code: 'FAILED_VALIDATION' }),
  'generated column in a row': create(
    { id: 10, amount: 99_999 },
    { code: 'VALUE_OUT_OF_RANGE', field: 'amount' },
  ),
  'required column': {
    method: 'POST',
    path: '/items/required',
    body: { id: 1 },
    code: 'FAILED_VALIDATION',
    shown: /needed_canary/,
  },
  update: {
    method: 'PATCH',
    path: '/items/things/2',
    body: { group_no: 1 },
    code: 'RECORD_NOT_UNIQUE',
    shown: /part_canary,group_no/,
  },
  'update of some keys': {
    method: 'PATCH',
    path: '/items/things',
    body: { keys: [2], data: { limited: 7 } },
    code: 'FAILED_VALIDATION',
    shown: /both_canary/,
  },
  'update by query': {
    method: 'PATCH',
    path: '/items/things',
    body: { query: { filter: { id: { _eq: 2 } } }, data: { group_no: 1 } },
    code: 'RECORD_NOT_UNIQUE',
    shown: /part_canary,group_no/,
  },
  'creation of nested items': {
    method: 'POST',
    path: '/items/parents',
    body: { id: 1, things: [{ id: 10, group_no: 1 }] },
    code: 'RECORD_NOT_UNIQUE',
    shown: /"path":\[0,"part_canary,group_no"\]/,
  },
  'creation of nested items that lack something': {
    method: 'POST',
    path: '/items/parents',
    body: [{ id: 1 }, { id: 2, things: [{ id: 10, group_no: 60, limited: 7 }] }],
    code: 'FAILED_VALIDATION',
    shown: /both_canary/,
  },
  'move within the order': {
    method: 'POST',
    path: '/utils/sort/things',
    body: { item: 2, to: 1 },
    code: 'FAILED_VALIDATION',
    shown: /raised canary/,
  },
  'deletion by query': {
    method: 'DELETE',
    path: '/items/things',
    body: { query: { filter: { id: { _eq: 1 } } } },
    code: 'INVALID_FOREIGN_KEY',
    field: 'id',
    shown: /child_canary/,
  },
  'going back': {
    method: 'POST',
    path: '/utils/revert/REVISION',
    code: 'FAILED_VALIDATION',
    shown: /later_canary/,
  },
  'update of a list': {
    method: 'PATCH',
    path: '/items/things',
    body: [{ id: 2, limited: 7 }],
    code: 'FAILED_VALIDATION',
    shown: /both_canary/,
  },
  deletion: {
    method: 'DELETE',
    path: '/items/things/1',
    code: 'INVALID_FOREIGN_KEY',
    field: 'id',
    shown: /Items of \\"children_canary\\" still refer/,
  },
  'reading a view': { method: 'GET', path: '/items/broken', code: 'INVALID_QUERY' },
};

t.before(async () => {
  cluster = await startCluster(t, { workers: 1 });
  await cluster.db.query(SITE);
  await cluster.db.query(
    "INSERT INTO things (id, part_canary, group_no) VALUES (2, 'value_canary', 2)",
  );
  await until(async () => (await cluster.fetch('/items/broken?fields=id')).ok, 'the site is known');
  await cluster.db.query('UPDATE things SET place = id + 10');
  const meta = JSON.stringify({ meta: { sort_field: 'place' } });
  t.equal(
    (await cluster.fetch('/collections/things', { method: 'PATCH', body: meta })).status,
    200,
  );
  const later = { method: 'PATCH', body: JSON.stringify({ title: 'later' }) };
  t.equal((await cluster.fetch('/items/things/2', later)).status, 200);
  await cluster.db.query(`UPDATE things SET title = 'two' WHERE id = 2;
    ALTER TABLE things ADD CONSTRAINT later_canary
      CHECK (title <> 'later' OR secret_canary = 'other') NOT VALID`);
  const { rows } = await cluster.db.query('SELECT max(id) AS id FROM system_revisions');
  revision = String(rows[0].id);
  member = await createMember(cluster, RIGHTS);
});

interface Answered {
  readonly status: number;
  readonly text: string;
  readonly headers: string;
  readonly errors: readonly { extensions: Readonly<Record<string, unknown>> }[];
}

async function answerTo(attempt: Attempt, asMember: boolean): Promise<Answered> {
  const { method, path, body } = attempt;
  const init: RequestInit = {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(asMember ? { headers: { authorization: `Bearer ${member.token}` } } : {}),
  };
  const response = await cluster.fetch(path.replace('REVISION', revision), init);
  const text = await response.text();
  return {
    status: response.status,
    text,
    headers: JSON.stringify([...response.headers]),
    errors: JSON.parse(text).errors,
  };
}

for (const [name, attempt] of Object.entries(ATTEMPTS)) {
  t.test(`${name} names nothing hidden, and all of it to an administrator`, async (t) => {
    const seen = await answerTo(attempt, true);
    t.equal(seen.errors[0]?.extensions.code, attempt.code, seen.text);
    t.notMatch(seen.text, CANARY);
    t.notMatch(seen.headers, CANARY);
    if (attempt.field !== undefined) t.equal(seen.errors[0]?.extensions.field, attempt.field);
    const full = await answerTo(attempt, false);
    t.equal(full.errors[0]?.extensions.code, attempt.code, full.text);
    if (attempt.field !== undefined) t.equal(full.errors[0]?.extensions.field, attempt.field);
    if (attempt.shown !== undefined) t.match(full.text, attempt.shown);
  });
}

/** What an import answers and reports. */
async function imported(csv: string, asMember: boolean): Promise<{ text: string; code: unknown }> {
  const headers = { authorization: `Bearer ${member.token}` };
  const response = await upload(cluster, 'things', csv, asMember ? { headers } : {});
  const text = await response.text();
  return { text, code: JSON.parse(text).errors?.[0]?.extensions.code };
}

const FILES: Readonly<Record<string, readonly [string, string]>> = {
  'composite unique': ['id,group_no\n20,1\n', 'RECORD_NOT_UNIQUE'],
  'unique expression': ['id,group_no,expression\n20,20,same\n', 'RECORD_NOT_UNIQUE'],
  check: ['id,group_no,limited\n20,20,100\n', 'FAILED_VALIDATION'],
  'check of a hidden column': ['id,group_no,limited\n20,20,7\n', 'FAILED_VALIDATION'],
  domain: ['id,group_no,small\n20,20,12\n', 'FAILED_VALIDATION'],
  exclusion: ['id,group_no,during\n20,20,"[2,3)"\n', 'RECORD_NOT_UNIQUE'],
  trigger: ['id,group_no,title\n20,20,raise\n', 'FAILED_VALIDATION'],
  'hidden table': ['id,group_no,title\n20,20,audit\n', 'RECORD_NOT_UNIQUE'],
  'hidden enum': ['id,group_no,title\n20,20,cast\n', 'FAILED_VALIDATION'],
  range: ['id,group_no,during\n20,20,nothing\n', 'FAILED_VALIDATION'],
};

t.test('the faults of a file name nothing hidden, in answer, job and report', async (t) => {
  for (const [name, [csv, code]] of Object.entries(FILES)) {
    const seen = await imported(csv, true);
    t.equal(seen.code, code, `${name}: ${seen.text}`);
    t.notMatch(seen.text, CANARY, name);
    t.equal((await imported(csv, false)).code, code, name);
  }
  const { body } = await member.send('GET', '/jobs?limit=100');
  t.ok(body.data.length >= Object.keys(FILES).length);
  t.notMatch(JSON.stringify(body), CANARY);
  const headers = { authorization: `Bearer ${member.token}` };
  for (const { id } of body.data) {
    const report = await (await cluster.fetch(`/jobs/${id}/errors`, { headers })).text();
    t.ok(report.length > 0);
    t.notMatch(report, CANARY);
  }
});
