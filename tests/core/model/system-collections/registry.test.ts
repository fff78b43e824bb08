import pg from 'pg';
import t from 'tap';
import * as v from 'valibot';
import { APP_PERMISSIONS } from '#core/access/app-permission.ts';
import type { SystemCollection, SystemField } from '#core/model/system-collections/entry.ts';
import { SYSTEM_PREFIX } from '#core/model/system-collections/name.ts';
import {
  defaultRow,
  INTERNAL_TABLES,
  referencesTo,
  SYSTEM_COLLECTIONS,
  systemCollections,
} from '#core/model/system-collections/registry.ts';
import {
  collectionMetaInput,
  fieldMetaInput,
  relationMetaInput,
} from '#core/schema/metadata-input.ts';
import { createSystemDatabase, type Teardown } from '#tests/harness/database.ts';
import { checkGenerated, markdownTable } from '#tests/harness/generated.ts';

interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly identity: string;
  readonly default: string | null;
  readonly target: string | null;
  readonly onDelete: string | null;
}

async function connect(t: Teardown): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: await createSystemDatabase(t) });
  await client.connect();
  t.teardown(() => client.end());
  return client;
}

const COLUMNS = `
  SELECT c.relname AS table, a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type,
    a.attnotnull AS required, a.attidentity AS identity, pg_get_expr(d.adbin, d.adrelid) AS default,
    k.confrelid::regclass::text AS target, k.confdeltype AS "onDelete"
  FROM pg_class AS c
    JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN pg_attrdef AS d ON d.adrelid = c.oid AND d.adnum = a.attnum
    LEFT JOIN pg_constraint AS k
      ON k.conrelid = c.oid AND k.contype = 'f' AND k.conkey = ARRAY[a.attnum]
  WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
  ORDER BY c.relname, a.attnum`;

const IDENTITY: Readonly<Record<string, string>> = { a: 'identity always', d: 'identity' };
const ON_DELETE: Readonly<Record<string, string>> = { a: 'NO ACTION', c: 'CASCADE', n: 'SET NULL' };

/** A column in PostgreSQL, in the format of the registry. */
function describe(column: Column) {
  const value = IDENTITY[column.identity] ?? column.default?.replace(/::[a-z ]+$/, '') ?? null;
  return {
    type: column.type
      .replace('character varying', 'varchar')
      .replace('timestamp with time zone', 'timestamptz'),
    required: column.required,
    default: value,
    target: column.target,
    onDelete: ON_DELETE[column.onDelete ?? ''] ?? null,
  };
}

function described(facts: SystemField) {
  const { references } = facts;
  const onDelete = references?.onDelete ?? null;
  return {
    type: facts.type,
    required: facts.required ?? false,
    default: facts.default ?? null,
    target: onDelete === null ? null : SYSTEM_PREFIX + references?.collection,
    onDelete,
  };
}

t.test('the migrations create the tables of the registry', async (t) => {
  const client = await connect(t);
  const { rows } = await client.query<Column>(COLUMNS);
  const tables = new Set(rows.map(({ table }) => table));
  t.strictSame(
    [...tables].sort(),
    [...SYSTEM_COLLECTIONS.keys(), ...INTERNAL_TABLES].sort(),
    'each table is a collection or internal',
  );
  for (const [name, { fields }] of SYSTEM_COLLECTIONS) {
    const found = rows.filter(({ table }) => table === name);
    const wanted = Object.entries(fields).filter(([, { type }]) => type !== null);
    t.strictSame(
      found.map((column) => [column.name, describe(column)]),
      wanted.map(([field, facts]) => [field, described(facts)]),
      name,
    );
  }
});

t.test('every collection that affects permissions counts its changes', async (t) => {
  const client = await connect(t);
  const { rows } = await client.query<{ name: string }>(
    `SELECT DISTINCT tgrelid::regclass::text AS name FROM pg_trigger
      WHERE tgfoid = 'system_note_access'::regproc ORDER BY 1`,
  );
  t.strictSame(
    rows.map(({ name }) => name),
    [...systemCollections(({ decidesRights }) => decidesRights === true)].sort(),
  );
});

t.test('bodies of metadata accept every field with a default', (t) => {
  t.ok(v.is(collectionMetaInput, defaultRow('collections', ['collection'])));
  t.ok(v.is(fieldMetaInput, defaultRow('fields', ['id', 'collection', 'field'])));
  const own = ['id', 'many_collection', 'many_field', 'one_collection'];
  t.ok(v.is(relationMetaInput, defaultRow('relations', own)));
  t.match(defaultRow('collections', []), { accountability: 'all', hidden: false, icon: null });
  t.end();
});

t.test('names in the registry are those of collections and fields', (t) => {
  for (const [name, { fields }] of SYSTEM_COLLECTIONS) {
    for (const [field, { references }] of Object.entries(fields)) {
      if (references === undefined) continue;
      const other = SYSTEM_COLLECTIONS.get(SYSTEM_PREFIX + references.collection);
      t.ok(other, `${name}.${field}`);
      for (const back of references.back ?? []) {
        t.equal(other?.fields[back.field]?.type, null, `${name}.${field} back by ${back.field}`);
        for (const via of [back.junction, back.sort]) {
          if (via !== undefined) t.ok(fields[via], `${name}.${via}`);
        }
      }
    }
  }
  for (const { collection, fields } of APP_PERMISSIONS) {
    const entry = SYSTEM_COLLECTIONS.get(collection);
    if (entry === undefined) continue;
    const unknown = fields.filter((field) => field !== '*' && entry.fields[field] === undefined);
    t.strictSame(unknown, [], collection);
  }
  t.end();
});

t.test('all tables are searched for references to a deleted user', (t) => {
  const kept = referencesTo('users').filter(({ onDelete }) => onDelete === 'NO ACTION');
  t.strictSame(
    kept.map(({ collection, field }) => `${collection}.${field}`),
    ['comments.user_updated', 'files.uploaded_by', 'files.modified_by'],
  );
  t.end();
});

const ROUTES = {
  all: 'reading and writing',
  read: 'reading',
  single: 'reading and writing its one item',
  own: 'reading and writing, and more of its own',
};

function rowOf([name, entry]: readonly [string, SystemCollection]): readonly string[] {
  const fields = Object.entries(entry.fields);
  const names = (holds: (facts: SystemField) => boolean) =>
    fields.flatMap(([field, facts]) => (holds(facts) ? [`\`${field}\``] : [])).join(', ');
  const own = (facts: SystemField) => facts.type !== null && facts.writable !== true;
  return [
    `\`${name}\``,
    entry.service === null ? '' : ROUTES[entry.service],
    entry.audited ? 'yes' : '',
    (entry.app ?? []).map(({ action }) => action).join(', '),
    names(({ secret }) => secret === true),
    entry.service === null ? '' : names(own),
  ];
}

t.test('the documents list the registry', async (t) => {
  const head = [
    'collection',
    'at its route',
    'history',
    'app access',
    'masked',
    'kept by the server',
  ];
  const text = markdownTable(head, [...SYSTEM_COLLECTIONS].map(rowOf));
  await checkGenerated(t, 'ops/docs/system-collection.md', 'registry', text);
});
