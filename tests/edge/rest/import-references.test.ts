// @newest
/** References by another field, lists of keys and rejected rows, by the rights of the sender. */
import t from 'tap';
import { startCluster } from '#tests/harness/cluster.ts';
import { createMember } from '#tests/harness/member.ts';
import { storedFiles } from '#tests/harness/stored-files.ts';
import { until } from '#tests/harness/until.ts';
import { upload } from '#tests/harness/upload.ts';

const cluster = await startCluster(t, { workers: 1 });
await cluster.db.query(`
  CREATE TABLE owners (id serial PRIMARY KEY, name text UNIQUE, hidden bool DEFAULT false, code text);
  INSERT INTO owners (name, hidden, code) VALUES ('Ann', false, 'a'), ('Eve', true, 'e');
  CREATE TABLE things (id int PRIMARY KEY, title text, owner int REFERENCES owners);`);
await until(async () => (await cluster.fetch('/items/things')).ok, 'the tables are known');

const OF_THINGS = [
  { collection: 'things', action: 'create' },
  { collection: 'things', action: 'read' },
  { collection: 'things', action: 'update' },
] as const;
const seen = { hidden: { _eq: false } };
const reader = await createMember(cluster, [
  ...OF_THINGS,
  { collection: 'owners', action: 'read', permissions: seen, fields: ['id', 'name'] },
]);
const creator = await createMember(cluster, [
  ...OF_THINGS,
  { collection: 'owners', action: 'read', permissions: seen, fields: ['id', 'name'] },
  { collection: 'owners', action: 'create', fields: ['name'] },
]);

function form(content: string) {
  const data = new FormData();
  data.set('file', new Blob([content], { type: 'text/csv' }), 'file.csv');
  return data;
}

function mapped(reference: object) {
  return `?mapping=${encodeURIComponent(JSON.stringify({ who: { field: 'owner', ...reference } }))}`;
}

const stored = async () =>
  (await cluster.db.query('SELECT id, owner FROM things ORDER BY id')).rows.map(Object.values);

t.test('a hidden item equals a missing one, and a hidden field an unknown one', async (t) => {
  const path = `/utils/import/things${mapped({ by: 'name' })}`;
  const { status, body } = await reader.upload(path, form('id,who\n1,Ann\n2,Eve\n3,Zoe\n'));
  t.equal(status, 400);
  const told = body.errors.map(({ extensions }: { extensions: Record<string, unknown> }) => {
    const { code, row, field, reason } = extensions;
    return [code, row, field, reason];
  });
  const missing = 'No item has this value in "name".';
  t.strictSame(told, [
    ['INVALID_FOREIGN_KEY', 2, 'owner', missing],
    ['INVALID_FOREIGN_KEY', 3, 'owner', missing],
  ]);
  const hidden = `/utils/import/things${mapped({ by: 'code' })}`;
  const refused = await reader.upload(hidden, form('id,who\n1,a\n'));
  t.match(refused.body.errors[0].extensions, { reason_code: 'path_field_unknown', field: 'owner' });
  t.equal((await reader.upload(path, form('id,who\n1,Ann\n'))).status, 200);
  t.strictSame(await stored(), [[1, 1]]);
});

t.test('only who may create items creates missing ones, and their history is kept', async (t) => {
  const path = `/utils/import/things${mapped({ by: 'name', missing: 'create' })}`;
  const refused = await reader.upload(path, form('id,who\n2,Zoe\n'));
  t.strictSame([refused.status, refused.code], [403, 'FORBIDDEN']);
  t.equal((await creator.upload(path, form('id,who\n2,Zoe\n3,Zoe\n'))).status, 200);
  const { rows } = await cluster.db.query("SELECT id FROM owners WHERE name = 'Zoe'");
  t.equal(rows.length, 1);
  t.strictSame(await stored(), [
    [1, 1],
    [2, rows[0]?.id],
    [3, rows[0]?.id],
  ]);
  const taken = await creator.upload(path, form('id,who\n4,Eve\n'));
  t.strictSame([taken.status, taken.code], [400, 'RECORD_NOT_UNIQUE']);
});

t.test('wrong references and constants are refused before the file is read', async (t) => {
  for (const query of [
    mapped({ by: '' }),
    mapped({ by: 'name', missing: 'maybe' }),
    mapped({ by: 'name', more: 1 }),
    `?constants=${encodeURIComponent('[1]')}`,
    '?constants=x',
  ]) {
    const answer = await upload(cluster, 'things', 'id\n1\n', { query });
    t.equal(answer.status, 400, query);
    t.match(await answer.text(), /INVALID_QUERY/, query);
  }
});

t.test('the rejected rows are read by the owner and by administrators', async (t) => {
  const query = `${mapped({ by: 'name' })}&on_error=skip&separator=;`;
  const csv = 'id;who;title\n5;Ann;x\n6;"No;one";y\n';
  const sent = await reader.upload(`/utils/import/things${query}&background`, form(csv));
  const { id } = sent.body.data;
  const job = () => reader.send('GET', `/jobs/${id}`);
  await until(async () => (await job()).body.data.finished_on !== null, 'the import has ended');
  const { result } = (await job()).body.data;
  t.match(result, {
    failed: 1,
    reasons: [{ code: 'INVALID_FOREIGN_KEY', field: 'owner', rows: 1, first_row: 2 }],
    options: {
      on_error: 'skip',
      separator: ';',
      mapping: { who: { field: 'owner', by: 'name' } },
    },
  });
  for (const headers of [{ authorization: `Bearer ${reader.token}` }, {}]) {
    const answer = await cluster.fetch(`/jobs/${id}/rejected`, { headers });
    t.match(answer.headers.get('content-type'), /^text\/csv/);
    t.equal(
      await answer.text(),
      'sluice_row;sluice_reason;id;who;title\n' +
        '2;"owner: No item has this value in ""name""."' +
        ';6;"No;one";y\n',
    );
  }
  t.equal((await creator.send('GET', `/jobs/${id}/rejected`)).status, 403);
  const whole = await upload(cluster, 'things', 'id\n9\n');
  const plain = await cluster.fetch(`${whole.headers.get('location')}/rejected`);
  t.equal(plain.status, 409);
  t.ok(storedFiles(cluster).some((name) => name.includes(`${id}.rejected`)));
});
