import t from 'tap';
import { parseQuery } from '#core/query/parse/parameter.ts';
import { parsedQuery } from '#core/read/statement-cache.ts';
import {
  createCollections,
  createField,
  createRelation,
  isStorable,
  updateField,
} from '#core/schema/change-input.ts';
import { ADMIN, codedError, openSchema } from '#tests/harness/schema.ts';

/** Whatever is put together instead of quoted would end the canary, or fail with a 5xx. */
const HOSTILE = [
  '"; DROP TABLE canary; --',
  `'); DROP TABLE canary; --`,
  `\\'; DROP TABLE canary; --`,
  `x' || (SELECT 1/0)::text || '`,
  '$$; DROP TABLE canary; $$',
  '(SELECT pg_sleep(60))',
  "nextval('canary_id_seq')",
  'now(); DROP TABLE canary',
  'CURRENT_USER',
  '"quoted"."twice"',
  '*/ DROP TABLE canary; /*',
  '$1 %s %I :x ? {}',
  'back\\slash',
  'select',
  'Ünï.cödé, 漢字 \u{1f4a7}',
  '\u202eright to left',
  '__proto__',
  'constructor',
  'x'.repeat(63),
  'é'.repeat(31),
  'x'.repeat(64),
  'x'.repeat(100_000),
  'new\nline',
  'zero\0byte',
  'half \ud800 pair',
  ' padded ',
  'a/b',
  'system_users',
  'SYSTEM_users',
  'directus_users',
  '',
] as const;

/** Those that PostgreSQL can hold. */
const VALUES = HOSTILE.filter((value) => isStorable(value));

const TYPES = [
  'string',
  'text',
  'integer',
  'decimal',
  'boolean',
  'timestamp',
  'uuid',
  'json',
  'csv',
];

t.test('texts of requests are names, values and comments, and never SQL', async (t) => {
  const tested = await openSchema(
    t,
    'CREATE TABLE canary (id serial PRIMARY KEY, name text); INSERT INTO canary (name) VALUES ($$a$$)',
  );
  const { pool, items } = tested;
  const attempt = async (what: string, work: () => Promise<unknown>): Promise<boolean> => {
    try {
      await work();
      return true;
    } catch (error) {
      const { status, code } = codedError(error);
      t.ok(status < 500, `${what}: ${code}`);
      return false;
    }
  };
  const intact = async (what: string) => {
    const { rows } = await pool.query('SELECT name FROM canary');
    t.same(rows, [{ name: 'a' }], what);
  };
  const tables = async () => {
    const { rows } = await pool.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace
       AND relkind = 'r' AND relname NOT LIKE 'system\\_%' ORDER BY 1`,
    );
    return rows.map(({ name }) => name);
  };
  const question = parsedQuery(
    parseQuery(
      {},
      { limitDefault: 9, limitMax: undefined, maxDepth: 9, maxJsonDepth: 9, maxFields: 99 },
    ),
  );
  const create = async (collection: string, item: object) => {
    const made = await items.create({ caller: ADMIN, collection }, item, question);
    return JSON.parse(String(made?.data ?? null));
  };

  await t.test('as names of collections, fields and derived objects', async (t) => {
    let made = 0;
    for (const name of HOSTILE) {
      const what = JSON.stringify(name.slice(0, 40));
      const done = await attempt(`names ${what}`, async () => {
        const schema = { is_indexed: true, is_unique: true };
        const fields = [
          { field: name, type: 'string', schema },
          { field: 'up', type: 'integer' },
        ];
        await tested.change(createCollections({ collection: name, schema: {}, fields }));
        const relation = {
          ...{ collection: name, field: 'up', related_collection: name },
          schema: { on_delete: 'SET NULL' },
          meta: { one_field: `${name.slice(0, 50)} down` },
        };
        await tested.change(createRelation(relation));
      });
      if (!done) continue;
      made += 1;
      t.same(await tables(), ['canary', name].sort(), what);
      const item = await create(name, { [name]: 'a', up: 1 });
      const expected = [['id', 1] as const, [name, 'a'] as const, ['up', 1] as const];
      t.same(Object.entries(item).sort(), expected.sort(), what);
      await tested.change({ kind: 'collections.delete', collection: name });
      t.same(await tables(), ['canary'], what);
    }
    t.equal(made, 18, 'names that are taken');
    await intact('names');
  });

  await t.test('as defaults, which are values but for a few functions', async (t) => {
    const fields = VALUES.map((value, index) => ({
      ...{ field: `f${index}`, type: index % 2 === 0 ? 'text' : 'json' },
      schema: { default_value: value },
    }));
    await tested.change(createCollections({ collection: 'defaults', schema: {}, fields }));
    const { id: _, ...item } = await create('defaults', {});
    t.same(item, Object.fromEntries(VALUES.map((value, index) => [`f${index}`, value])));
    for (const [index, value] of HOSTILE.entries()) {
      const type = TYPES[index % TYPES.length];
      const field = { field: 'f', type, schema: { default_value: value } };
      await attempt(`${type} default ${JSON.stringify(value.slice(0, 40))}`, () =>
        tested.change(createField('canary', field)),
      );
      await pool.query('ALTER TABLE canary DROP COLUMN IF EXISTS f');
    }
    await intact('defaults');
  });

  await t.test('as comments, notes and other texts', async (t) => {
    const fields = VALUES.map((value, index) => ({
      ...{ field: `f${index}`, type: 'string', schema: { comment: value } },
      meta: { note: value, options: { [value]: value } },
    }));
    const schema = { comment: HOSTILE[0] };
    const body = { collection: 'noted', schema, meta: { note: HOSTILE[0] }, fields };
    const noted = (await tested.change(createCollections(body))).collections.get('noted');
    t.match([noted?.table?.comment, noted?.meta?.row.note], [HOSTILE[0], HOSTILE[0]]);
    for (const [index, value] of VALUES.entries()) {
      const field = noted?.fields.get(`f${index}`);
      const what = JSON.stringify(value.slice(0, 40));
      t.equal(field?.column?.comment ?? '', value, what);
      t.equal(field?.meta?.row.note, value, what);
      t.equal(JSON.stringify(field?.meta?.row.options), JSON.stringify({ [value]: value }), what);
    }
    await intact('texts');
  });

  await t.test('as types and words of the language they are refused', async (t) => {
    for (const value of HOSTILE) {
      const what = JSON.stringify(value.slice(0, 40));
      const wanted = [
        () => createField('noted', { field: 'typed', type: value }),
        () =>
          createField('noted', { field: 'typed', type: 'unknown', schema: { data_type: value } }),
        () =>
          createField('noted', { field: 'typed', type: 'string', schema: { max_length: value } }),
        () =>
          createField('noted', {
            field: 'typed',
            type: 'decimal',
            schema: { numeric_scale: value },
          }),
        () => updateField('noted', 'f0', { type: value }),
        () =>
          createRelation({
            collection: 'noted',
            field: 'f0',
            related_collection: 'canary',
            schema: { on_delete: value },
          }),
      ];
      for (const [index, parse] of wanted.entries()) {
        const done = await attempt(`word ${index} ${what}`, async () => tested.change(parse()));
        t.notOk(done, `word ${index} ${what}`);
      }
    }
    const { fields } = tested.source.current().collections.get('noted') ?? {};
    t.notOk(fields?.has('typed'));
    await intact('words');
  });
});
