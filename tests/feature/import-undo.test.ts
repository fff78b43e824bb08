// @slow
/** Imports that keep what they change are undone: all of it, except what changed since. */
import t from 'tap';
import { backends } from '#tests/harness/backend.ts';
import { bodyOf, type ErrorsBody, type JobBody } from '#tests/harness/body.ts';
import { startCluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';
import { upload } from '#tests/harness/upload.ts';

const TABLES = `
  CREATE TABLE things (
    id int PRIMARY KEY, name text, price numeric(10,2), mood text UNIQUE, doc json, tags text[],
    made timestamptz, length int GENERATED ALWAYS AS (length(name)) STORED,
    parent int REFERENCES things);
  CREATE TABLE numbered (id serial PRIMARY KEY, name text);
  CREATE TABLE pairs (a int, b text, value int, PRIMARY KEY (a, b));
  CREATE TABLE notes (id serial PRIMARY KEY, thing int REFERENCES things ON DELETE CASCADE)`;

/** More rows than one statement imports. */
const MANY = 8_000;

function lines(rows: number, name: (id: number) => string, from = 1): string {
  const all = Array.from({ length: rows }, (_, index) => `${from + index},${name(from + index)}`);
  return `id,name\n${all.join('\n')}\n`;
}

for (const backend of backends) {
  t.test(`undone imports with the queue on ${backend.name}`, async (t) => {
    const cluster = await startCluster(t, { workers: 1, env: backend.env });
    const { db } = cluster;
    await db.query(TABLES);
    await until(async () => (await cluster.fetch('/items/notes')).ok, 'the tables are known');

    const send = async (collection: string, content: string, query = '?undo=true') => {
      const answer = await upload(cluster, collection, content, { query });
      t.equal(answer.status, 200, await answer.text());
      return answer.headers.get('location')?.slice('/jobs/'.length) ?? '';
    };
    const undo = async (job: string, query = '') =>
      await cluster.fetch(`/jobs/${job}/undo${query}`, { method: 'POST' });
    const undone = async (job: string, query = '') => {
      const answer = await undo(job, query);
      t.equal(answer.status, 200, await answer.clone().text());
      const { data } = await bodyOf<{ data: Record<string, unknown> }>(answer);
      t.equal(data.import, job);
      return data;
    };
    const rows = async (table: string) =>
      (await db.query(`SELECT * FROM ${table} ORDER BY 1, 2`)).rows;
    const reset = async () => {
      await db.query('TRUNCATE things, notes, pairs, numbered');
      await db.query(`INSERT INTO things (id, name, price, mood, doc, tags, made) VALUES
        (1, 'one, "1"', 1.50, 'glad', '{"a": [1, null]}', '{x,"y z",NULL}', '2020-01-02 03:04:05.678+02'),
        (2, NULL, NULL, 'sad', 'null', NULL, NULL), (3, '', 3, E'\\\\\\n\\t', '"x"', '{}', 'infinity')`);
    };

    t.test('a small file that inserts and overwrites', async (t) => {
      await reset();
      const before = await rows('things');
      const job = await send(
        'things',
        'id,name,price,mood\n1,uno,7,\n2,dos,8,mad\n3,,3,\n9,new,9,x\n',
      );
      t.not(JSON.stringify(await rows('things')), JSON.stringify(before));
      const left = await rows('things');
      const tried = await undone(job, '?dryRun');
      t.match(tried, { removed: 1, restored: 2, kept: 0, reasons: {}, dry_run: true });
      t.strictSame(await rows('things'), left, 'a dry run changes nothing');
      const { dry_run: _, ...result } = tried;
      t.strictSame(await undone(job), result);
      t.strictSame(await rows('things'), before);
      const told = await bodyOf<JobBody>(await cluster.fetch(`/jobs/${job}`));
      t.match(told.data.result, { undo: false, inserted: 1 }, 'the import says so');
      const again = await undo(job);
      t.equal(again.status, 409);
      t.match((await bodyOf<ErrorsBody>(again)).errors, [
        { extensions: { code: 'CONFLICT', reason_code: 'undo_done_already' } },
      ]);
      const kept = await db.query('SELECT count(*)::int FROM system_import_changes');
      t.strictSame(kept.rows, [{ count: 0 }]);
      const { rows: history } = await db.query(
        `SELECT item <> '' AS named FROM system_activity WHERE action = 'undo' AND collection = 'things'`,
      );
      t.strictSame(history, [{ named: true }]);
    });

    t.test('a file copied into an empty table, and one merged into it', async (t) => {
      await db.query('TRUNCATE things CASCADE');
      const filled = await send(
        'things',
        lines(MANY, (id) => `first ${id}`),
      );
      const before = await rows('things');
      t.equal(before.length, MANY);
      const merged = await send(
        'things',
        lines(MANY, (id) => `second ${id}`, MANY / 2),
      );
      t.match(await undone(merged), {
        removed: MANY / 2 - 1,
        restored: MANY / 2 + 1,
        kept: 0,
      });
      t.strictSame(await rows('things'), before);
      t.match(await undone(filled), { removed: MANY, restored: 0, kept: 0 });
      t.strictSame(await rows('things'), []);
    });

    t.test('keys that the database generates, and keys of several columns', async (t) => {
      await reset();
      await db.query("INSERT INTO numbered (name) VALUES ('own')");
      const before = await rows('numbered');
      const content = `name\n${Array.from({ length: MANY }, (_, index) => `name ${index}`).join('\n')}\n`;
      const job = await send('numbered', content);
      t.match(await undone(job), { removed: MANY, kept: 0 });
      t.strictSame(await rows('numbered'), before);
      const few = await send('numbered', 'name\na\nb\n');
      t.match(await undone(few), { removed: 2, kept: 0 });
      t.strictSame(await rows('numbered'), before);
      await db.query(`INSERT INTO pairs VALUES (1, 'a "x", y', 1), (2, 'b', 2)`);
      const pairs = await rows('pairs');
      const both = await send('pairs', 'a,b,value\n1,"a ""x"", y",10\n3,c,3\n');
      t.match(await undone(both), { removed: 1, restored: 1, kept: 0 });
      t.strictSame(await rows('pairs'), pairs);
    });

    t.test('rows that changed since stay, and are named', async (t) => {
      await reset();
      const job = await send('things', 'id,name\n1,uno\n2,dos\n7,new\n8,newer\n9,gone\n');
      await db.query(
        'UPDATE things SET price = 99 WHERE id IN (1, 7); DELETE FROM things WHERE id = 9',
      );
      const answer = await cluster.fetch(`/jobs/${job}/undo`, {
        ...{ method: 'POST', headers: { prefer: 'respond-async' } },
      });
      t.equal(answer.status, 202);
      const { data } = await bodyOf<JobBody>(answer);
      const ended = await until(async () => {
        const body = await bodyOf<JobBody>(await cluster.fetch(`/jobs/${data.id}`));
        return body.data.state === 'completed' ? body.data : null;
      }, 'the undo has ended');
      t.match(ended.result, {
        ...{ removed: 1, restored: 1, kept: 3 },
        reasons: { undo_item_changed: 2, undo_item_deleted: 1 },
      });
      const { rows: names } = await db.query('SELECT id, name FROM things ORDER BY id');
      t.strictSame(names, [
        ...[
          { id: 1, name: 'uno' },
          { id: 2, name: null },
        ],
        ...[
          { id: 3, name: '' },
          { id: 7, name: 'new' },
        ],
      ]);
      const report = await (await cluster.fetch(`/jobs/${data.id}/errors`)).text();
      const named = report.trim().split('\n').slice(1).toSorted();
      t.equal(named.length, 3);
      t.match(
        named[0],
        /^,id,1,CONFLICT,The item was changed since the import\.,.*undo_item_changed/,
      );
      t.match(named[2], /^,id,9,.*undo_item_deleted/);
    });

    t.test('rows to which others refer stay, with those to which they refer', async (t) => {
      await reset();
      const job = await send('things', 'id,name,parent\n10,a,\n11,b,10\n12,c,11\n13,d,\n14,e,13\n');
      await db.query('INSERT INTO notes (thing) VALUES (12)');
      t.match(await undone(job), {
        ...{ removed: 2, restored: 0, kept: 3 },
        reasons: { undo_item_referenced: 3 },
      });
      const { rows: ids } = await db.query('SELECT id FROM things WHERE id > 9 ORDER BY id');
      t.strictSame(ids, [{ id: 10 }, { id: 11 }, { id: 12 }]);
      t.equal((await rows('notes')).length, 1);
    });

    t.test('a former value that the database refuses now', async (t) => {
      await reset();
      const job = await send('things', 'id,mood\n1,new\n2,newer\n');
      await db.query("INSERT INTO things (id, mood) VALUES (20, 'glad')");
      t.match(await undone(job), {
        ...{ removed: 0, restored: 1, kept: 1 },
        reasons: { value_taken: 1 },
      });
      const { rows: moods } = await db.query(
        'SELECT mood FROM things WHERE id IN (1, 2) ORDER BY id',
      );
      t.strictSame(moods, [{ mood: 'new' }, { mood: 'sad' }]);
    });

    t.test('unique values move back between rows', async (t) => {
      await reset();
      const before = await rows('things');
      const job = await send('things', 'id,mood\n1,free\n30,glad\n');
      t.match(await undone(job), { removed: 1, restored: 1, kept: 0 });
      t.strictSame(await rows('things'), before);
    });

    t.test('imports that keep nothing, and tables that changed', async (t) => {
      await reset();
      const plain = await send('things', 'id,name\n1,uno\n', '');
      const refused = await undo(plain);
      t.equal(refused.status, 409);
      t.match((await bodyOf<ErrorsBody>(refused)).errors, [
        { extensions: { code: 'CONFLICT', state: 'completed', reason_code: 'undo_not_kept' } },
      ]);
      t.equal((await undo('00000000-0000-4000-8000-000000000000')).status, 403);
      const job = await send('things', 'id,name\n1,eins\n');
      const added = await send('things', 'id,name\n77,neu\n');
      await db.query('ALTER TABLE things ADD COLUMN more int DEFAULT 5');
      await until(async () => {
        const body = await bodyOf<{ data: object[] }>(await cluster.fetch('/items/things?limit=1'));
        return Object.hasOwn(body.data[0] ?? {}, 'more');
      }, 'the column is known');
      const lost = await undo(added);
      t.equal(lost.status, 422, 'an inserted row would take the value of the new column with it');
      t.match((await bodyOf<ErrorsBody>(lost)).errors, [
        { extensions: { reason_code: 'undo_table_changed' } },
      ]);
      t.match(await undone(job, '?dryRun'), { restored: 1, kept: 0 }, 'a new column does no harm');
      await db.query('ALTER TABLE things DROP COLUMN tags');
      await until(async () => {
        const body = await bodyOf<{ data: object[] }>(await cluster.fetch('/items/things?limit=1'));
        return !Object.hasOwn(body.data[0] ?? {}, 'tags');
      }, 'the change is known');
      const changed = await undo(job);
      t.equal(changed.status, 422);
      t.match((await bodyOf<ErrorsBody>(changed)).errors, [
        { extensions: { code: 'UNPROCESSABLE_ENTITY', reason_code: 'undo_table_changed' } },
      ]);
      const nested = await upload(cluster, 'notes', 'id,thing.id,thing.name\n1,50,x\n', {
        query: '?undo=true',
      });
      t.equal(nested.status, 422);
    });
  });
}
