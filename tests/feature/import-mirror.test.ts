/** `mode=mirror` merges a file, and deletes what it lacks: exactly that, or nothing. */
import t from 'tap';
import { backends } from '#tests/harness/backend.ts';
import { bodyOf, type ErrorsBody, type JobBody } from '#tests/harness/body.ts';
import { startCluster } from '#tests/harness/cluster.ts';
import { createMember, type MemberUser } from '#tests/harness/member.ts';
import { until } from '#tests/harness/until.ts';
import { upload } from '#tests/harness/upload.ts';

const TABLES = `
  CREATE TABLE things (id int PRIMARY KEY, code text UNIQUE, name text, open bool DEFAULT true,
    parent int REFERENCES things ON DELETE CASCADE);
  CREATE TABLE notes (id serial PRIMARY KEY, thing int REFERENCES things);
  CREATE TABLE parts (id int PRIMARY KEY, name text, above int REFERENCES parts);
  CREATE TABLE pairs (a int, b text, value int, PRIMARY KEY (a, b));
  CREATE TABLE numbered (id serial PRIMARY KEY, name text)`;

/** The rows 1 to 6 of things. */
const FILLED = `TRUNCATE things, notes, parts, pairs, numbered;
  INSERT INTO things (id, code, name, open) SELECT i, 'c' || i, 'old', i % 2 = 0
    FROM generate_series(1, 6) i`;

async function faultOf(answer: Response) {
  const { errors } = await bodyOf<ErrorsBody>(answer);
  const { code, reason_code: why } = errors[0]?.extensions ?? {};
  return [answer.status, code, why];
}

for (const backend of backends) {
  t.test(`mirrors with the queue on ${backend.name}`, async (t) => {
    const cluster = await startCluster(t, { workers: 1, env: backend.env });
    const { db } = cluster;
    await db.query(TABLES);
    await until(async () => (await cluster.fetch('/items/numbered')).ok, 'the tables are known');
    const send = (content: string, query = '&max_deletes=100', table = 'things') =>
      upload(cluster, table, content, { query: `?mode=mirror${query}` });
    const resultOf = async (answer: Response) => {
      t.equal(answer.status, 200, await answer.clone().text());
      const job = await cluster.fetch(answer.headers.get('location') ?? '');
      return (await bodyOf<JobBody>(job)).data.result;
    };
    const keys = async (table = 'things', key = 'id') =>
      (await db.query<{ key: string }>(`SELECT ${key}::text AS key FROM ${table} ORDER BY 1`)).rows
        .map((row) => row.key)
        .join(' ');
    const deletions = async () =>
      (
        await db.query<{ item: string }>(
          `SELECT item FROM system_activity WHERE action = 'delete' AND collection = 'things' ORDER BY id`,
        )
      ).rows.map(({ item }) => item);

    t.beforeEach(async () => {
      await db.query(FILLED);
    });

    t.test('the file is merged, and the other rows are deleted', async (t) => {
      await db.query('DELETE FROM system_activity');
      const result = await resultOf(await send('id,name\n1,old\n2,new\n9,nine\n'));
      t.match(result, { inserted: 1, updated: 1, unchanged: 1, deleted: 4, failed: 0 });
      t.equal(await keys(), '1 2 9');
      t.strictSame(await deletions(), ['3', '4', '5', '6'], 'each has its entry in the history');
      const list = await bodyOf<{ data: { id: number }[] }>(await cluster.fetch('/items/things'));
      t.equal(list.data.length, 3, 'no cache has the deleted rows');
      const again = await resultOf(await send('id,name\n1,old\n2,new\n9,nine\n'));
      t.match(again, { inserted: 0, updated: 0, unchanged: 3, deleted: 0 });
    });

    t.test('without max_deletes it is only tried, and names what it would delete', async (t) => {
      const before = await keys();
      const result = await resultOf(await send('id,name\n1,x\n2,y\n9,z\n', ''));
      t.match(result, { inserted: 1, updated: 2, deleted: 4, dry_run: true });
      t.match(result, { deleted_keys: ['3', '4', '5', '6'] });
      t.equal(await keys(), before);
      const tried = await resultOf(await send('id,name\n1,x\n', '&max_deletes=9&dry_run'));
      t.match(tried, { deleted: 5, dry_run: true, deleted_keys: { length: 5 } });
      t.match(await resultOf(await send('id,name\n1,x\n', '&dry_run=false')), { dry_run: true });
      t.equal(await keys(), before);
    });

    t.test('more deletions than max_deletes change nothing', async (t) => {
      for (const max of [3, 0]) {
        const answer = await send('id,name\n1,x\n2,y\n9,z\n', `&max_deletes=${max}`);
        const { errors } = await bodyOf<ErrorsBody>(answer.clone());
        t.strictSame(await faultOf(answer), [
          ...[422, 'UNPROCESSABLE_ENTITY', 'mirror_too_many_deletes'],
        ]);
        t.strictSame(errors[0]?.extensions.reason_parameters, { count: 4, limit: max });
        t.equal(await keys(), '1 2 3 4 5 6');
      }
      const all = await send('id,name\n1,x\n2,x\n3,x\n4,x\n5,x\n6,x\n', '&max_deletes=0');
      t.match(await resultOf(all), { updated: 6, deleted: 0 });
    });

    t.test('files without rows delete nothing', async (t) => {
      for (const content of ['id,name\n', 'id,name\n,\n\n', '']) {
        const [status] = await faultOf(await send(content));
        t.ok(status === 400 || status === 422, `${status}`);
      }
      t.strictSame((await faultOf(await send('id,name\n')))[2], 'mirror_file_without_rows');
      const json = {
        name: 'a.json',
        type: 'application/json',
        query: '?mode=mirror&max_deletes=9',
      };
      t.strictSame((await faultOf(await upload(cluster, 'things', '[]', json)))[0], 422);
      const cut = await upload(cluster, 'things', '[{"id": 1}, {"id"', json);
      t.equal(cut.status, 400, 'an incomplete file');
      t.equal(await keys(), '1 2 3 4 5 6');
    });

    t.test('rejected rows keep all rows', async (t) => {
      const abort = await send('id,name\n1,x\nbad,y\n');
      t.equal(abort.status, 400);
      t.equal(await keys(), '1 2 3 4 5 6');
      const result = await resultOf(
        await send('id,name\n1,x\nbad,y\n7,z\n', '&max_deletes=9&on_error=skip'),
      );
      t.match(result, { inserted: 1, updated: 1, failed: 1, deleted: 0, not_deleted: 5 });
      t.equal(await keys(), '1 2 3 4 5 6 7');
      const whole = await resultOf(await send('id,name\n1,x\n', '&max_deletes=9&on_error=skip'));
      t.match(whole, { failed: 0, deleted: 6 });
    });

    t.test('repeated keys count once, and each row needs a key', async (t) => {
      const result = await resultOf(await send('id,name\n1,a\n2,b\n1,c\n'));
      t.match(result, { duplicates: 1, updated: 2, deleted: 4 });
      await db.query("INSERT INTO numbered (name) VALUES ('a'), ('b')");
      const empty = await send('id,name\n1,a\n,c\n', '&max_deletes=9', 'numbered');
      t.strictSame((await faultOf(empty))[1], 'NOT_NULL_VIOLATION');
      const absent = await send('name\nc\n', '&max_deletes=9', 'numbered');
      t.strictSame((await faultOf(absent))[2], 'named_key_column_missing');
      t.equal((await keys('numbered')).split(' ').length, 2);
    });

    t.test('rows are matched by composite and by other keys', async (t) => {
      await db.query("INSERT INTO pairs VALUES (1, 'x', 1), (1, 'y,z', 2), (2, 'x', 3)");
      const tried = await resultOf(await send('a,b,value\n1,x,5\n', '', 'pairs'));
      t.match(tried, { deleted_keys: ['1,y%2Cz', '2,x'] });
      t.match(await resultOf(await send('a,b,value\n1,x,5\n', '&max_deletes=2', 'pairs')), {
        deleted: 2,
      });
      t.equal(await keys('pairs', 'a || b || value'), '1x5');
      await db.query("INSERT INTO things (id, name) VALUES (8, 'without a code')");
      const byCode = await send('id,code,name\n20,c1,x\n21,c9,y\n', '&max_deletes=9&match=code');
      t.match(await resultOf(byCode), { inserted: 1, updated: 1, deleted: 5 });
      t.equal(await keys(), '1 21 8', 'a row without a value in the key can be in no file');
    });

    t.test('a reference that restricts the deletion refuses all of it', async (t) => {
      await db.query('INSERT INTO notes (thing) VALUES (4)');
      const answer = await send('id,name\n1,changed\n');
      const [status, code] = await faultOf(answer);
      t.strictSame([status, code], [400, 'INVALID_FOREIGN_KEY']);
      t.equal(await keys('things', 'id || name'), '1old 2old 3old 4old 5old 6old');
    });

    t.test('rows of the file never go with deleted ones', async (t) => {
      await db.query('UPDATE things SET parent = 6 WHERE id = 1');
      t.strictSame(await faultOf(await send('id,name\n1,x\n')), [
        ...[422, 'UNPROCESSABLE_ENTITY', 'mirror_deletes_other_rows'],
      ]);
      t.equal(await keys(), '1 2 3 4 5 6');
      t.match(await resultOf(await send('id,parent\n1,null\n')), { updated: 1, deleted: 5 });
      await db.query("INSERT INTO parts VALUES (1, '', NULL), (2, '', 1), (3, '', 2), (4, '', 3)");
      t.match(await resultOf(await send('id\n1\n', '&max_deletes=9', 'parts')), { deleted: 3 });
    });

    t.test('what contradicts a mirror is refused before the file is read', async (t) => {
      t.strictSame(await faultOf(await send('id\n1\n', '&max_deletes=9&undo')), [
        ...[400, 'INVALID_QUERY', 'undo_with_mirror'],
      ]);
      const alone = await upload(cluster, 'things', 'id\n1\n', { query: '?max_deletes=9' });
      t.strictSame((await faultOf(alone))[2], 'max_deletes_without_mirror');
      const related = await send('id,parent.name\n1,x\n');
      t.strictSame((await faultOf(related))[2], 'mirror_without_related_items');
      t.equal(await keys(), '1 2 3 4 5 6');
    });

    t.test('a row that others insert meanwhile stays', async (t) => {
      const [holder, other] = [await db.connect(), await db.connect()];
      const waiting = async (query: string) =>
        (await db.query(`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND ${query}`))
          .rowCount === 1;
      try {
        await holder.query('BEGIN; SELECT FROM things WHERE id = 5 FOR UPDATE');
        const answering = send('id,name\n1,x\n2,y\n');
        await until(() => waiting("application_name LIKE 'sluice job%'"), 'the mirror waits');
        const inserted = other.query("INSERT INTO things (id, name) VALUES (50, 'theirs')");
        await until(() => waiting("query LIKE '%theirs%'"), 'the insert waits');
        await holder.query('ROLLBACK');
        t.match(await resultOf(await answering), { deleted: 4 });
        await inserted;
        t.equal(await keys(), '1 2 50');
      } finally {
        holder.release();
        other.release();
      }
    });

    t.test('rights decide which rows are deleted', async (t) => {
      const all = { collection: 'things', permissions: {} } as const;
      const writing = [
        { ...all, action: 'create' },
        { ...all, action: 'update' },
      ] as const;
      const mirrored = async (member: MemberUser, query = '&max_deletes=9') => {
        const form = new FormData();
        form.set('file', new File(['id,name\n1,x\n2,y\n'], 'a.csv', { type: 'text/csv' }));
        const headers = { authorization: `Bearer ${member.token}` };
        const path = `/utils/import/things?mode=mirror${query}`;
        return await cluster.fetch(path, { method: 'POST', body: form, headers });
      };
      const reader = await createMember(cluster, [...writing, { ...all, action: 'read' }]);
      t.strictSame((await faultOf(await mirrored(reader)))[1], 'FORBIDDEN', 'no right to delete');
      const blind = await createMember(cluster, [...writing, { ...all, action: 'delete' }]);
      t.match(await resultOf(await mirrored(blind)), { deleted: 0 }, 'no right to read');
      const half = await createMember(cluster, [
        ...writing,
        { ...all, action: 'read', permissions: { open: { _eq: true } } },
        { ...all, action: 'delete' },
      ]);
      const tried = await resultOf(await mirrored(half, ''));
      t.match(tried, { deleted: 2, deleted_keys: ['4', '6'] }, 'hidden rows are not counted');
      t.match(await resultOf(await mirrored(half, '&max_deletes=2')), { deleted: 2 });
      t.equal(await keys(), '1 2 3 5');
      await db.query(FILLED);
      const some = await createMember(cluster, [
        ...writing,
        { ...all, action: 'read' },
        { ...all, action: 'delete', permissions: { id: { _gt: 4 } } },
      ]);
      t.match(await resultOf(await mirrored(some)), { deleted: 2 });
      t.equal(await keys(), '1 2 3 4');
    });
  });
}
