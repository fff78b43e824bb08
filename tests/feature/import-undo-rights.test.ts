// @newest @slow
/**
 * Who may undo an import, which rows, and what the report tells: by the rights at the time of the undo.
 * Caches and subscribers hear of it like of any write.
 */
import t from 'tap';
import { createClient } from '#ops/client/source/index.ts';
import { createEditor } from '#tests/edge/rest/fixture/editor.ts';
import { bodyOf, type ErrorsBody } from '#tests/harness/body.ts';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { upload } from '#tests/harness/upload.ts';

const cluster = await startCluster(t, { workers: 1, env: { CACHE_ENABLED: 'true' } });
const { db } = cluster;
await db.query(`CREATE TABLE things (id int PRIMARY KEY, name text, secret text, open boolean);
  INSERT INTO things VALUES (1, 'one', 'a', true), (2, 'two', 'b', true), (3, 'three', 'c', true)`);
await cluster.served('/items/things');
const editor = await createEditor(cluster, { reads: { things: 'id,name,open' } });
const { rows: policies } = await db.query<{ id: string }>(
  "SELECT id FROM system_policies WHERE name = 'Editing'",
);
const policy = policies[0]?.id;

/** Gives the editor a right under a rule, by an answer that confirms it. */
async function grant(action: string, fields: string, rule: object | null = null): Promise<number> {
  const answer = await cluster.fetch('/permissions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ policy, collection: 'things', action },
      ...{ fields: fields.split(','), permissions: rule },
    }),
  });
  if (!answer.ok) throw new Error(await answer.text());
  return (await bodyOf<{ data: { id: number } }>(answer)).data.id;
}
const revoke = async (id: number) =>
  t.equal((await cluster.fetch(`/permissions/${id}`, { method: 'DELETE' })).status, 204);

await grant('create', '*');
let updating = await grant('update', '*');

const FILE = 'id,name,open\n1,uno,true\n2,dos,true\n8,acht,true\n9,neun,true\n';

/** Imports as the editor; yields the id of the job. */
async function imported(): Promise<string> {
  const form = new FormData();
  form.set('file', new Blob([FILE], { type: 'text/csv' }), 'file.csv');
  const answer = await editor('/utils/import/things?undo=true', { method: 'POST', body: form });
  if (answer.status !== 200) throw new Error(await answer.text());
  return answer.headers.get('location')?.split('/').at(-1) ?? '';
}

const undo = (job: string, query = '') => editor(`/jobs/${job}/undo${query}`, { method: 'POST' });
const names = async () =>
  (await db.query('SELECT id, name FROM things ORDER BY id')).rows.map(({ id, name }) => [
    id,
    name,
  ]);

const job = await imported();

t.test('only the owner and administrators may undo an import', async (t) => {
  const other = await createEditor(cluster, { reads: { things: '*' } });
  t.equal((await other(`/jobs/${job}/undo`, { method: 'POST' })).status, 403);
  const anonymous = await fetch(`${cluster.url}/jobs/${job}/undo`, { method: 'POST' });
  t.ok(anonymous.status === 401 || anonymous.status === 403);
});

t.test('without the right to delete, nothing is undone', async (t) => {
  const answer = await undo(job);
  t.equal(answer.status, 403);
  t.match((await bodyOf<ErrorsBody>(answer)).errors, [{ extensions: { code: 'FORBIDDEN' } }]);
  t.strictSame((await names())[0], [1, 'uno']);
});

t.test('rules choose the rows, and hidden rows are not named', async (t) => {
  const deleting = await grant('delete', '*', { id: { _lt: 9 } });
  await revoke(updating);
  updating = await grant('update', 'name,open', { open: { _eq: true } });
  await db.query("UPDATE things SET secret = 'changed' WHERE id = 8");
  await db.query('UPDATE things SET open = false WHERE id = 2');
  const answer = await undo(job, '?dryRun');
  t.equal(answer.status, 200, await answer.clone().text());
  const { data } = await bodyOf<{ data: object }>(answer);
  t.match(data, {
    ...{ removed: 0, restored: 1, kept: 3, dry_run: true },
    reasons: { undo_item_forbidden: 2, undo_item_changed: 1 },
  });
  const report = await (await editor(`/jobs/${await latestUndo()}/errors`)).text();
  t.notMatch(report, /,changed,/, 'no value of a hidden field');
  t.match(report, /,id,8,CONFLICT,/);
  const reading = await db.query<{ id: number }>(
    `SELECT id FROM system_permissions WHERE action = 'read' AND policy = $1`,
    [policy],
  );
  const path = `/permissions/${reading.rows[0]?.id}`;
  const changed = await cluster.fetch(path, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ permissions: { id: { _lt: 3 } } }),
  });
  t.equal(changed.status, 200);
  t.equal((await undo(job, '?dryRun')).status, 200);
  const narrow = await (await editor(`/jobs/${await latestUndo()}/errors`)).text();
  t.notMatch(narrow, /,id,[89],/, 'keys of rows that the caller may not read');
  t.match(narrow, /,id,2,FORBIDDEN,/);
  await revoke(deleting);
});

async function latestUndo(): Promise<string> {
  const { rows } = await db.query<{ id: string }>(
    "SELECT id FROM system_jobs WHERE kind = 'undo-import' ORDER BY created_on DESC LIMIT 1",
  );
  return rows[0]?.id ?? '';
}

t.test(
  'an administrator undoes the import of a user; caches and subscribers hear of it',
  async (t) => {
    const client = createClient(cluster.url, { token: ADMIN_TOKEN });
    t.teardown(() => client.close());
    const read = async () =>
      (await bodyOf<{ data: { name: string }[] }>(await cluster.fetch('/items/things?sort=id')))
        .data;
    t.equal((await read())[0]?.name, 'uno');
    t.equal((await read())[0]?.name, 'uno', 'it is cached');
    const told = await client.jobs.undo(job, { dryRun: true });
    t.match(told, { removed: 1, restored: 1, kept: 2, dry_run: true });
    const done = await client.jobs.undo(job);
    t.match(done, { removed: 1, restored: 1, kept: 2, reasons: { undo_item_changed: 2 } });
    t.equal((await read())[0]?.name, 'one', 'the cache is current with the answer');
    t.strictSame(await names(), [
      ...[
        [1, 'one'],
        [2, 'dos'],
        [3, 'three'],
        [8, 'acht'],
      ],
    ]);
    await t.rejects(client.jobs.undo(job), { code: 'CONFLICT' });
  },
);

t.test('what is kept counts in the quota, and is removed with age', async (t) => {
  const { rows: before } = await db.query(
    'SELECT bytes::int AS bytes FROM system_import_undos WHERE undone_by IS NULL',
  );
  t.strictSame(before, [], 'of an import that is undone');
  const answer = await upload(cluster, 'things', 'id,name\n70,x\n', { query: '?undo=true' });
  t.equal(answer.status, 200);
  const { rows } = await db.query<{ bytes: number; held: boolean }>(
    'SELECT bytes::int AS bytes, holder IS NOT NULL AS held FROM system_import_undos WHERE undone_by IS NULL',
  );
  t.match(rows, [{ held: true }]);
  t.ok((rows[0]?.bytes ?? 0) > 20);
});
