// @newest @slow

import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { backends } from '#tests/harness/backend.ts';
import { bodyOf, type ErrorsBody, type JobBody, type JobsBody } from '#tests/harness/body.ts';
import { ADMIN_TOKEN, type Cluster, startCluster } from '#tests/harness/cluster.ts';
import { storedFiles } from '#tests/harness/stored-files.ts';
import { until } from '#tests/harness/until.ts';
import { upload } from '#tests/harness/upload.ts';

const TABLES = `
  CREATE TABLE owners (id int PRIMARY KEY);
  INSERT INTO owners VALUES (1);
  CREATE TABLE things (
    id serial PRIMARY KEY, name varchar(10) NOT NULL, amount int CHECK (amount > 0),
    code text UNIQUE, owner int REFERENCES owners(id), doc json, made date);
  CREATE TABLE keyless (n int)`;

async function stateOf(cluster: Cluster, id: string): Promise<string> {
  return (await bodyOf<JobBody>(await cluster.fetch(`/jobs/${id}`))).data.state;
}

/** Codes, rows and fields of an answer's errors. */
async function faults(response: Response) {
  const body = await bodyOf<ErrorsBody>(response);
  return {
    status: response.status,
    faults: body.errors.map(({ extensions: { code, row, field, value } }) => ({
      code,
      row,
      field,
      value,
    })),
  };
}

for (const backend of backends) {
  t.test(`imports with the queue on ${backend.name}`, async (t) => {
    const cluster: Cluster = await startCluster(t, {
      workers: 1,
      // Uploads of failed jobs are not kept.
      env: { ...backend.env, JOB_FILES_MAX: '0' },
    });
    await cluster.db.query(TABLES);
    await until(async () => (await cluster.fetch('/items/keyless')).ok, 'the tables are known');
    const count = async () =>
      Number((await cluster.db.query('SELECT count(*) FROM things')).rows[0].count);

    t.test('a CSV file fills a table and the answer is empty', async (t) => {
      const answer = await upload(cluster, 'things', 'id,name,amount\n1,one,5\n2,two,\n');
      t.strictSame([answer.status, await answer.text()], [200, '']);
      t.equal(await count(), 2);
      await until(() => storedFiles(cluster).length === 0, 'nothing is left of the upload');
    });

    t.test('a JSON file merges by key and its job reports the result', async (t) => {
      const rows = [
        { id: 1, name: 'uno' },
        { id: 2, name: 'two' },
        { name: 'three', doc: [1] },
      ];
      const answer = await upload(cluster, 'things', JSON.stringify(rows), {
        type: 'application/json',
      });
      t.equal(answer.status, 200);
      const job = await bodyOf<JobBody>(await cluster.fetch(answer.headers.get('location') ?? ''));
      t.match(job.data, { kind: 'import', state: 'completed', collection: 'things', attempts: 1 });
      t.strictSame(job.data.result, {
        inserted: 1,
        updated: 1,
        unchanged: 1,
        duplicates: 0,
        skipped: 0,
        failed: 0,
      });
    });

    t.test('every kind of bad row fails the whole file by name', async (t) => {
      const before = await count();
      const head = 'id,name,amount,code,owner,doc,made\n10,good,1,c,1,,\n';
      const cases: readonly [string, Record<string, unknown>][] = [
        ['11,bad,many,,,,', { code: 'FAILED_VALIDATION', row: 2, field: 'amount', value: 'many' }],
        ['11,far too long,1,,,,', { code: 'VALUE_TOO_LONG', row: 2, field: 'name' }],
        ['11,bad,99999999999,,,,', { code: 'VALUE_OUT_OF_RANGE', row: 2, field: 'amount' }],
        ['11,null,1,,,,', { code: 'FAILED_VALIDATION', row: 2, field: 'name' }],
        ['11,bad,1,c,,,', { code: 'RECORD_NOT_UNIQUE', row: 2, field: 'code' }],
        ['11,bad,-1,,,,', { code: 'FAILED_VALIDATION', row: 2 }],
        ['11,bad,1,,77,,', { code: 'INVALID_FOREIGN_KEY', row: 2, field: 'owner', value: '77' }],
        ['11,bad,1,,,{x,', { code: 'FAILED_VALIDATION', row: 2, field: 'doc' }],
        ['11,bad,1,,,,2024-02-30', { code: 'FAILED_VALIDATION', row: 2, field: 'made' }],
      ];
      for (const [line, wanted] of cases) {
        const found = await faults(await upload(cluster, 'things', `${head}${line}\n`));
        t.equal(found.status, 400, line);
        t.match(found.faults[found.faults.length - 1], wanted, line);
      }
      t.equal(await count(), before, 'the table is untouched');
    });

    t.test('rejected rows are listed as CSV', async (t) => {
      const answer = await upload(cluster, 'things', 'name,amount\na,x\nb,1\nc,y\n', {
        query: '?background',
      });
      t.equal(answer.status, 202);
      const { data } = await bodyOf<JobBody>(answer);
      await until(async () => (await stateOf(cluster, data.id)) === 'failed', 'the import fails');
      const csv = await (await cluster.fetch(`/jobs/${data.id}/errors`)).text();
      const lines = csv.trim().split('\n');
      t.equal(lines[0], 'row,field,value,code,reason,line,original,reason_code,reason_parameters');
      t.match(lines.slice(1), [
        /^1,amount,x,FAILED_VALIDATION,.*,,,value_whole_number_expected,$/,
        /^3,amount,y,FAILED_VALIDATION,.*,,,value_whole_number_expected,$/,
      ]);
    });

    t.test('a part whose type says nothing goes by its name', async (t) => {
      const before = await count();
      const named = async (content: string, type: string, name: string) =>
        (await upload(cluster, 'things', content, { type, name })).status;
      t.equal(await named('name\nby name\n', 'application/octet-stream', 'things.CSV'), 200);
      t.equal(await named('[{"name":"by name"}]', '', 'things.json'), 200);
      t.equal(await named('[{"name":"by type"}]', 'application/json', 'things.csv'), 200);
      t.equal(await named('name\nx\n', 'application/octet-stream', 'things'), 200);
      t.equal(await named('\0\0', 'application/octet-stream', 'things'), 415);
      t.equal(await named('name\nx\n', 'application/octet-stream', 'things.csv.exe'), 415);
      t.equal(await named('name\nx\n', 'image/png', 'things.csv'), 415);
      const headers = { 'content-type': 'multipart/form-data; boundary=b' };
      const part = 'Content-Disposition: form-data; name="file"; filename="a.csv"';
      const body = `--b\r\n${part}\r\n\r\nname\nuntyped\n\r\n--b--\r\n`;
      const path = '/utils/import/things';
      t.equal((await cluster.fetch(path, { method: 'POST', headers, body })).status, 200);
      t.equal(await count(), before + 5);
    });

    t.test('an unknown option is refused by name', async (t) => {
      const before = await count();
      const answer = await upload(cluster, 'things', 'name\nx\n', { query: '?sepparator=;' });
      t.equal(answer.status, 400);
      const { errors } = await bodyOf<ErrorsBody>(answer);
      t.match(errors[0]?.extensions, { code: 'INVALID_QUERY', reason: /"sepparator"/ });
      const form = new FormData();
      form.set('sepparator', ';');
      form.set('file', new Blob(['name\nx\n'], { type: 'text/csv' }), 'x.csv');
      const part = await cluster.fetch('/utils/import/things', { method: 'POST', body: form });
      t.match(await faults(part), { status: 400, faults: [{ code: 'INVALID_PAYLOAD' }] });
      t.equal(await count(), before);
    });

    t.test('rows are only inserted, only updated, or matched by another key', async (t) => {
      const before = await count();
      const old = await upload(cluster, 'things', 'id,name\n1,x\n', { query: '?mode=insert' });
      t.match(await faults(old), { status: 400, faults: [{ code: 'RECORD_NOT_UNIQUE', row: 1 }] });
      const none = await upload(cluster, 'things', 'id,name\n999,x\n', { query: '?mode=update' });
      t.match(await faults(none), { status: 400, faults: [{ row: 1, field: 'id' }] });
      const csv = 'code,name\nmatched,x\n';
      for (const times of [1, 2]) {
        const answer = await upload(cluster, 'things', csv, { query: '?match=code' });
        t.strictSame([answer.status, await count()], [200, before + 1], `sent ${times} times`);
      }
      const wrong = await upload(cluster, 'things', csv, { query: '?match=name' });
      const { errors } = await bodyOf<ErrorsBody>(wrong);
      t.match([wrong.status, errors[0]?.extensions.reason], [400, /keys: id; code\./]);
      await cluster.db.query("DELETE FROM things WHERE code = 'matched'");
    });

    t.test('a file that is sent again names its earlier job', async (t) => {
      const before = await count();
      const send = async (content: string) => {
        const answer = await upload(cluster, 'things', content);
        const location = answer.headers.get('location') ?? '';
        return (await bodyOf<JobBody>(await cluster.fetch(location))).data;
      };
      const first = await send('name\nagain\n');
      t.match(first.result, { inserted: 1, same_file_as: undefined });
      const second = await send('name\nagain\n');
      t.match(second.result, { inserted: 1, same_file_as: first.id });
      t.match((await send('name\nother\n')).result, { same_file_as: undefined });
      t.equal(await count(), before + 3, 'without keys the rows are loaded again');
    });

    t.test(
      'good rows are loaded, the report has the others; a dry run keeps nothing',
      async (t) => {
        const before = await count();
        const csv = 'name,amount\ngood,1\nmuch too long,x\nbad,-1\n';
        for (const [query, loaded] of [
          ['?on_error=skip&dry_run', 0],
          ['?on_error=skip', 1],
        ] as const) {
          const answer = await upload(cluster, 'things', csv, { query });
          t.strictSame([answer.status, await count()], [200, before + loaded]);
          const job = answer.headers.get('location') ?? '';
          const { data } = await bodyOf<JobBody>(await cluster.fetch(job));
          t.match(data.result, { inserted: 1, failed: 2 });
          const report = await cluster.fetch(`${job}/errors`);
          const lines = (await report.text()).split('\n');
          t.equal(
            lines[0],
            'row,field,value,code,reason,line,original,reason_code,reason_parameters',
          );
          t.match(
            lines[1],
            /^2,name,much too long,VALUE_TOO_LONG,.*,3,"much too long,x",too_many_characters,"\{""limit"":\d+\}"$/,
          );
          t.match(lines[2], /^2,amount,x,FAILED_VALIDATION,/);
          t.match(
            lines[3],
            /^3,amount,'-1,FAILED_VALIDATION,.*,4,"bad,-1",check_does_not_hold,"\{""name"":.*\}"$/,
          );
          // As the daily tidying does when the job is old.
          rmSync(join(cluster.dataDir, 'spool', data.id));
          rmSync(join(cluster.dataDir, 'spool', `${data.id}.rejected`));
          t.equal((await cluster.fetch(`${job}/errors`)).status, 503, 'an outage, not no errors');
        }
        const query = '?on_error=skip&max_errors=1';
        const many = await upload(cluster, 'things', csv, { query });
        t.match(await faults(many), { status: 400, faults: [{ row: null }, { row: 2 }] });
        t.equal(await count(), before + 1);
        await cluster.db.query("DELETE FROM things WHERE name = 'good'");
      },
    );
    t.test('compressed files of every format, and their options', async (t) => {
      const before = await count();
      const send = async (content: string, name: string, query = '', type = '') => {
        const bytes = new Uint8Array(gzipSync(content));
        return (await upload(cluster, 'things', bytes, { type, name, query })).status;
      };
      t.equal(await send('{"name":"gz"}\n', 'things.ndjson.gz'), 200);
      t.equal(await send('[{"name":"gz"}]', 'things.json.gz', '', 'application/gzip'), 200);
      t.equal(await send('{"name":"gz"}\n', 'things', '', 'application/x-gzip'), 200);
      t.equal(await send('name\tamount\ngz\t1\n', 'things.tsv.gz'), 200);
      t.equal(await send('name;amount\ngz;1\n', 'things.csv', '?separator=;', 'text/csv'), 200);
      t.equal(await send('{"name":"gz"}\n', 'things.jsonl', '?separator=;'), 400);
      const form = new FormData();
      form.set('separator', '|');
      form.set('mapping', '{"Title":"name"}');
      form.set('file', new Blob(['Title|amount\ngz|1\n'], { type: 'text/csv' }), 'x.csv');
      const part = await cluster.fetch('/utils/import/things', { method: 'POST', body: form });
      t.equal(part.status, 200);
      t.equal(await count(), before + 6);
      const latin = new Uint8Array(Buffer.from('name\nn\xe4me\n', 'latin1'));
      const typed = (type: string) => upload(cluster, 'things', latin, { type });
      t.equal((await typed('text/csv; charset=iso-8859-1')).status, 200);
      const { rowCount } = await cluster.db.query(`DELETE FROM things WHERE name = 'n\u00e4me'`);
      t.equal(rowCount, 1);
      t.equal((await typed('text/csv; charset=klingon')).status, 400);
      t.equal((await typed('text/csv')).status, 400);
    });

    t.test('what cannot be read is refused', async (t) => {
      const broken = await faults(await upload(cluster, 'things', 'name\n"open'));
      t.match(broken, { status: 400, faults: [{ code: 'INVALID_PAYLOAD' }] });
      const json = { type: 'application/json' };
      const bad = await upload(cluster, 'things', '[{"name":"a"},\n{"name":}]', json);
      const body = await bodyOf<ErrorsBody>(bad);
      t.match(body.errors[0]?.extensions, { code: 'INVALID_PAYLOAD', line: 2, column: 9 });
      const object = await faults(await upload(cluster, 'things', '{"name":"a"}', json));
      t.match(object, { status: 400, faults: [{ code: 'INVALID_PAYLOAD' }] });
      const text = { type: 'text/plain', name: 'file.txt' };
      const type = await faults(await upload(cluster, 'things', '\0x', text));
      t.match(type, { status: 415, faults: [{ code: 'UNSUPPORTED_MEDIA_TYPE' }] });
      const path = '/utils/import/things';
      const headers = { 'content-type': 'text/csv' };
      const plain = await cluster.fetch(path, { method: 'POST', body: 'name\n', headers });
      t.equal(plain.status, 415);
      const form = new FormData();
      form.set('note', 'no file');
      const empty = await faults(await cluster.fetch(path, { method: 'POST', body: form }));
      t.match(empty, { status: 400, faults: [{ code: 'INVALID_PAYLOAD' }] });
    });

    t.test('collections that may not be imported into are forbidden', async (t) => {
      for (const name of ['nope', 'keyless', 'system_users', 'system_jobs']) {
        t.equal((await upload(cluster, name, 'n\n1\n')).status, 403, name);
      }
      const anonymous = await upload(cluster, 'things', 'name\nx\n', {
        headers: { authorization: 'Bearer somebody-elses-token' },
      });
      t.equal(anonymous.status, 401);
    });

    t.test('a caller may prefer the job at once and follow its events', async (t) => {
      const answer = await upload(cluster, 'things', 'name\nfollowed\n', {
        headers: { prefer: 'respond-async' },
      });
      t.equal(answer.status, 202);
      const location = answer.headers.get('location') ?? '';
      const { data } = await bodyOf<JobBody>(answer);
      t.equal(location, `/jobs/${data.id}`);
      const events = await (await cluster.fetch(`${location}/events`)).text();
      const done = await bodyOf<JobBody>(await cluster.fetch(location));
      t.ok(done.data.progress === null || done.data.progress.percent === 100, 'done is 100 %');
      const end = /event: end\nid: (\S+)\ndata: .*"state":"completed"/.exec(events)?.[1] ?? '';
      const resumed = (last: string) =>
        cluster.fetch(`${location}/events`, { headers: { 'last-event-id': last } });
      t.equal((await resumed(end)).status, 204, 'there is nothing after the end');
      for (const last of ['1,0,0,0', 'unknown']) {
        t.match(await (await resumed(last)).text(), /event: end\n/, last);
      }
      const list = await bodyOf<JobsBody>(await cluster.fetch('/jobs?limit=1&sort=-created_on'));
      t.equal(list.data[0]?.id, data.id);
    });

    t.test('an identical file that is on its way is joined', async (t) => {
      const lock = await cluster.db.connect();
      await lock.query('BEGIN; LOCK TABLE things IN ACCESS EXCLUSIVE MODE');
      const options = { headers: { prefer: 'respond-async' } };
      const file = 'name\njoined\n';
      const first = await bodyOf<JobBody>(await upload(cluster, 'things', file, options));
      const second = await bodyOf<JobBody>(await upload(cluster, 'things', file, options));
      t.equal(second.data.id, first.data.id);
      await lock.query('ROLLBACK');
      lock.release();
      await until(
        async () => (await stateOf(cluster, first.data.id)) === 'completed',
        'the import is done',
      );
      const { rows } = await cluster.db.query(`SELECT FROM things WHERE name = 'joined'`);
      t.equal(rows.length, 1);
    });

    t.test('a repeated request with an Idempotency-Key gets the first job', async (t) => {
      const send = (content: string, key: string, query = '') =>
        upload(cluster, 'things', content, { headers: { 'idempotency-key': key }, query });
      const before = await count();
      const first = await send('name\nkeyed\n', 'key-1');
      t.equal(first.status, 200);
      const again = await send('name\nkeyed\n', 'key-1');
      t.strictSame(
        [again.status, again.headers.get('location')],
        [200, first.headers.get('location')],
      );
      const async = await send('name\nkeyed\n', 'key-1', '?background');
      t.match((await bodyOf<JobBody>(async)).data, { state: 'completed' });
      t.equal(await count(), before + 1, 'it is imported once');
      await until(() => storedFiles(cluster).length === 0, 'repeated uploads are removed');
      const other = await send('name\nother\n', 'key-1');
      t.equal(other.status, 422);
      const { errors } = await bodyOf<ErrorsBody>(other);
      t.match(errors[0]?.extensions, {
        code: 'UNPROCESSABLE_ENTITY',
        header: 'Idempotency-Key',
        key: 'key-1',
      });
      for (const key of ['a b', 'x'.repeat(256)]) {
        const refused = await faults(await send('name\nkeyed\n', key));
        t.match(refused, { status: 400, faults: [{ code: 'INVALID_PAYLOAD' }] }, key);
      }
      const create = (name: string) =>
        cluster.fetch('/collections', {
          method: 'POST',
          headers: { 'idempotency-key': 'key-2' },
          body: JSON.stringify({ collection: name, schema: {}, meta: null }),
        });
      const kept = `keyed_${backend.name}`;
      t.strictSame([(await create(kept)).status, (await create(kept)).status], [200, 200]);
      t.equal((await create('another')).status, 422, 'schema changes too');
    });

    t.test('a running import is cancelled', async (t) => {
      const lock = await cluster.db.connect();
      await lock.query('BEGIN; LOCK TABLE things IN ACCESS EXCLUSIVE MODE');
      const { data } = await bodyOf<JobBody>(
        await upload(cluster, 'things', 'name\ncancelled\n', { query: '?background=true' }),
      );
      const state = () => stateOf(cluster, data.id);
      await until(async () => (await state()) === 'running', 'the import runs');
      t.equal((await cluster.fetch(`/jobs/${data.id}`, { method: 'DELETE' })).status, 204);
      await until(async () => (await state()) === 'cancelled', 'the import is cancelled');
      await lock.query('ROLLBACK');
      lock.release();
      const { rows } = await cluster.db.query(`SELECT FROM things WHERE name = 'cancelled'`);
      t.equal(rows.length, 0);
      t.equal((await cluster.fetch(`/jobs/${data.id}`, { method: 'DELETE' })).status, 204);
      const done = await upload(cluster, 'things', 'name\ndone\n');
      const ended = await cluster.fetch(done.headers.get('location') ?? '', { method: 'DELETE' });
      t.equal(ended.status, 409, 'what is finished cannot be cancelled');
      const { errors } = await bodyOf<ErrorsBody>(ended);
      t.match(errors, [{ extensions: { code: 'CONFLICT', state: 'completed' } }]);
    });

    t.test('a client that goes away during its upload leaves nothing', async () => {
      await until(() => storedFiles(cluster).length === 0, 'nothing is left of earlier imports');
      const { hostname, port } = new URL(cluster.url);
      const socket = connect(Number(port), hostname);
      await once(socket, 'connect');
      const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="f.csv"\r\n';
      socket.write(
        `POST /utils/import/things HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ADMIN_TOKEN}\r\n` +
          `Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 1000000\r\n\r\n` +
          `${head}Content-Type: text/csv\r\n\r\nname\ngone\n`,
      );
      await until(() => storedFiles(cluster).length > 0, 'the upload has begun');
      socket.destroy();
      await until(() => storedFiles(cluster).length === 0, 'the upload is removed');
    });

    t.test('too large a file is refused with the limit', async (t) => {
      const edge = await cluster.addEdge({ IMPORT_MAX_SIZE: '1kb' });
      const other: Cluster = {
        ...cluster,
        fetch: (path, init = {}) =>
          fetch(`${edge.url}${path}`, {
            ...init,
            headers: {
              ...Object.fromEntries(new Headers(init.headers)),
              authorization: `Bearer ${ADMIN_TOKEN}`,
            },
          }),
      };
      for (const bytes of [2_000, 200_000]) {
        const answer = await upload(other, 'things', `name\n${'x\n'.repeat(bytes / 2)}`);
        t.equal(answer.status, 413);
        const { errors } = await bodyOf<ErrorsBody>(answer);
        t.match(errors[0]?.extensions, {
          code: 'CONTENT_TOO_LARGE',
          limit: 1024,
          variable: 'IMPORT_MAX_SIZE',
        });
      }
      await edge.end('SIGTERM');
    });
  });
}
