import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { pino } from 'pino';
import t from 'tap';
import { ANONYMOUS, type Caller } from '#core/access/grants.ts';
import { loadConfig } from '#core/base/config/config.ts';
import { localStorage } from '#core/files/storage/local-storage.ts';
import { claimJob } from '#core/jobs/claim.ts';
import type { Job, RejectedRow } from '#core/jobs/job.ts';
import { openQueues } from '#core/jobs/open-queues.ts';
import type { Submission } from '#core/jobs/submit.ts';
import { openBus } from '#core/messaging/open-message-bus.ts';
import { parseQuery, type Parameters as QueryParameters } from '#core/query/parse/parameter.ts';
import { JobService } from '#core/services/jobs.ts';
import { BOUNDS } from '#tests/core/read/plan/fixture/shop.ts';
import { type Backend, backends } from '#tests/harness/backend.ts';
import { createSystemDatabase, type Teardown } from '#tests/harness/database.ts';
import { freePort } from '#tests/harness/port.ts';

const log = pino({ level: 'silent' });
const FORBIDDEN = { code: 'FORBIDDEN' };
const admin: Caller = { ...ANONYMOUS, user: randomUUID(), admin: true };

function person(): Caller {
  return { ...ANONYMOUS, user: randomUUID() };
}

async function setUp(t: Teardown & { testdir(): string }, backend: Backend, queueUrl?: string) {
  const url = await createSystemDatabase(t);
  const config = loadConfig(backend.env);
  const pool = new pg.Pool({ connectionString: url });
  pool.on('error', () => undefined);
  const cluster = randomUUID();
  const bus = await openBus(config, url, cluster, log);
  const queueConfig = loadConfig(
    queueUrl === undefined || backend.name === 'postgres' ? backend.env : { REDIS_URL: queueUrl },
  );
  const queues = await openQueues(queueConfig, queueUrl ?? url, cluster, log);
  const spool = localStorage(t.testdir());
  const jobs = new JobService({
    pool,
    schema: 'public',
    queues,
    bus,
    spool,
    log,
    maxPerHolder: 20,
    lockDuration: 15_000,
  });
  t.teardown(async () => {
    jobs.close();
    await queues.close();
    await bus.close();
    await pool.end();
  });
  const submission = (caller: Caller, more: Partial<Submission> = {}): Submission => ({
    kind: 'test',
    queue: 'transfer',
    message: { version: 1 },
    mailbox: null,
    collection: 'things',
    user: caller.user,
    fingerprint: null,
    ...more,
  });
  /** The changes of a worker to the row of a job. */
  const set = async (id: string, values: string) => {
    await pool.query(`UPDATE system_jobs SET ${values} WHERE id = $1`, [id]);
  };
  return { pool, bus, queues, jobs, submission, set };
}

const COMPLETED = `state = 'completed', result = '{"n":1}', finished_on = now()`;

for (const backend of backends) {
  t.test(`jobs on ${backend.name}`, async (t) => {
    const { pool, bus, queues, jobs, submission, set } = await setUp(t, backend);
    const queue = queues.get('transfer');

    await t.test('are recorded and queued', async (t) => {
      const caller = person();
      const { id, joined } = await jobs.submit(submission(caller));
      t.equal(joined, false);
      t.equal(await queue.state(id), 'waiting');
      const job = await jobs.get(id, caller);
      t.match(job.created_on, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      t.strictSame(job, {
        id,
        kind: 'test',
        queue: 'transfer',
        state: 'waiting',
        user: caller.user,
        collection: 'things',
        file_name: null,
        file_size: null,
        file_format: null,
        dialect: null,
        progress: null,
        result: null,
        error: null,
        created_on: job.created_on,
        started_on: null,
        claimed_on: null,
        finished_on: null,
        attempts: 0,
        failures: [],
        actions: [],
        request_id: null,
        waiting_for: null,
        file_kept: false,
        position: 1,
        worker: null,
      });
    });

    await t.test('that are identical and open are joined', async (t) => {
      const [caller, other] = [person(), person()];
      const same = { fingerprint: 'sha256:1' };
      const parallel = await Promise.all(
        Array.from({ length: 8 }, () => jobs.submit(submission(caller, same))),
      );
      const [first] = parallel;
      t.equal(new Set(parallel.map(({ id }) => id)).size, 1);
      t.equal(parallel.filter(({ joined }) => !joined).length, 1);
      t.equal((await jobs.submit(submission(other, same))).joined, false, 'not across users');
      const elsewhere = submission(caller, { ...same, collection: 'others' });
      t.equal((await jobs.submit(elsewhere)).joined, false, 'not across collections');
      if (first !== undefined) await set(first.id, COMPLETED);
      t.equal((await jobs.submit(submission(caller, same))).joined, false, 'not when it ended');
      const nobody = submission({ ...caller, user: null }, same);
      t.equal((await jobs.submit(nobody)).joined, false);
      t.equal((await jobs.submit(nobody)).joined, true, 'also without a user');
      t.equal((await jobs.submit(submission(caller))).joined, false, 'not without fingerprint');
    });

    await t.test('of one Idempotency-Key are one job', async (t) => {
      const [caller, other] = [person(), person()];
      const keyed = (by: Caller, more: Partial<Submission> = {}) =>
        submission(by, { idempotencyKey: 'k', holder: `user:${by.user}`, ...more });
      const parallel = await Promise.all(
        Array.from({ length: 8 }, () => jobs.submit(keyed(caller))),
      );
      const id = parallel[0]?.id ?? '';
      t.equal(new Set(parallel.map((one) => one.id)).size, 1, 'of requests at the same time');
      t.equal(parallel.filter(({ joined }) => !joined).length, 1);
      await set(id, COMPLETED);
      t.strictSame(
        await jobs.submit(keyed(caller)),
        { id, joined: true },
        'also when it has ended',
      );
      const another = [
        { message: { version: 2 } },
        { kind: 'other' },
        { collection: null },
        { fingerprint: 'f' },
      ];
      for (const more of another) {
        await t.rejects(jobs.submit(keyed(caller, more)), {
          code: 'UNPROCESSABLE_ENTITY',
          details: { header: 'Idempotency-Key', key: 'k' },
        });
      }
      t.equal((await jobs.submit(keyed(other))).joined, false, 'not across users');
      const next = await jobs.submit(keyed(caller, { idempotencyKey: 'l' }));
      t.equal(next.joined, false, 'not across keys');
      const age = (interval: string) =>
        pool.query(
          `UPDATE system_idempotency_keys SET created_on = now() - $1::interval WHERE job = $2`,
          [interval, id],
        );
      await age('23:59');
      t.equal((await jobs.submit(keyed(caller))).joined, true);
      await age('24:01');
      const fresh = await jobs.submit(keyed(caller));
      t.strictSame([fresh.joined, fresh.id === id], [false, false], 'for a day');
      t.strictSame(await jobs.submit(keyed(caller)), { id: fresh.id, joined: true });

      const same = { fingerprint: 'sha256:2', holder: `user:${caller.user}` };
      const open = await jobs.submit(submission(caller, same));
      const joins = await jobs.submit(keyed(caller, { ...same, idempotencyKey: 'm' }));
      t.strictSame(joins, { id: open.id, joined: true }, 'an identical open job is joined');
      await set(open.id, COMPLETED);
      const again = await jobs.submit(keyed(caller, { ...same, idempotencyKey: 'm' }));
      t.strictSame(again, { id: open.id, joined: true }, 'and found by the key later');
    });

    await t.test('of several users alternate', async (t) => {
      const [many, few] = [person(), person()];
      await pool.query("UPDATE system_jobs SET state = 'failed', finished_on = now()");
      const made = async (by: Caller) => {
        const { id } = await jobs.submit(
          submission(by, { holder: `user:${by.user}`, mailbox: 'turns' }),
        );
        return id;
      };
      const a: string[] = [];
      for (let n = 0; n < 4; n += 1) a.push(await made(many));
      const claimed: string[] = [];
      const claim = async () => {
        const { rows } = await pool.query<{ id: string }>(
          `SELECT id FROM system_jobs WHERE mailbox = 'turns' AND state = 'waiting'`,
        );
        for (const { id } of rows) {
          const { outcome } = await claimJob(pool, 'public', id, { readable: { test: 1 } });
          if (outcome !== 'claimed') continue;
          claimed.push(id);
          return async () => await set(id, COMPLETED);
        }
        return async () => undefined;
      };
      const end = await claim();
      const b = [await made(few), await made(few)];
      await end();
      for (let n = 0; n < 5; n += 1) await (await claim())();
      t.strictSame(claimed, [a[0], b[0], a[1], b[1], a[2], a[3]]);
    });

    await t.test('are visible only to their user and to admins', async (t) => {
      const [caller, other] = [person(), person()];
      const { id } = await jobs.submit(submission(caller));
      const shown = async (as: Caller) =>
        (await jobs.list(as, parseQuery({ limit: -1 }, BOUNDS))).some((job) => job.id === id);
      t.equal((await jobs.get(id, admin)).id, id);
      t.strictSame(
        [await shown(caller), await shown(other), await shown(admin)],
        [true, false, true],
      );
      const anonymous: Caller = ANONYMOUS;
      for (const as of [other, anonymous]) {
        await t.rejects(jobs.get(id, as), FORBIDDEN);
        await t.rejects(jobs.cancel(id, as), FORBIDDEN);
        await t.rejects(jobs.errors(id, as).next(), FORBIDDEN);
        await t.rejects(jobs.watch(id, as).next(), FORBIDDEN);
      }
      await t.rejects(jobs.get(randomUUID(), admin), FORBIDDEN);
      await t.rejects(jobs.get("' OR true --", admin), FORBIDDEN);
      t.equal((await jobs.get(id, caller)).state, 'waiting');
    });

    await t.test('are listed by filter, sort, limit and offset', async (t) => {
      const caller = person();
      const ids: string[] = [];
      for (const kind of ['a', 'b', 'c']) {
        ids.push((await jobs.submit(submission(caller, { kind }))).id);
      }
      await set(ids[2] ?? '', COMPLETED);
      const kinds = async (parameters: QueryParameters) => {
        const found = await jobs.list(
          caller,
          parseQuery(parameters, BOUNDS, { typed: parameters }),
        );
        return found.map((job) => job.kind).join('');
      };
      t.equal(await kinds({}), 'cba');
      t.equal(await kinds({ sort: ['kind'] }), 'abc');
      t.equal(await kinds({ sort: ['-state', 'kind'] }), 'abc');
      t.equal(await kinds({ limit: 1, offset: 1 }), 'b');
      t.equal(await kinds({ limit: -1 }), 'cba');
      t.equal(await kinds({ filter: { state: { _eq: 'waiting' } } }), 'ba');
      t.equal(await kinds({ filter: { kind: { _in: ['a', 'c'] } } }), 'ca');
      t.equal(await kinds({ filter: { _and: [] } }), 'cba');
      t.equal(await kinds({ filter: { finished_on: { _nnull: true } } }), 'c');
      t.equal(await kinds({ filter: { created_on: { _lt: '2001-01-01T00:00:00.000Z' } } }), '');
      const either = [{ kind: { _eq: 'a' } }, { _and: [{ kind: { _nin: ['a', 'b'] } }] }];
      t.equal(await kinds({ filter: { _or: either } }), 'ca');
      for (const filter of [
        { kind: { _regex: 'a' } },
        { id: { _eq: 'x' } },
        { attempts: { _eq: 'one' } },
        { _or: {} },
        { _or: [] },
        { _or: [{}, { kind: { _eq: 'a' } }] },
        { _or: [{ _and: [{}] }] },
        { kind: {} },
        { kind: { _in: [] } },
        { kind: { _null: 'x' } },
        'x',
      ]) {
        await t.rejects(kinds({ filter }), { code: 'INVALID_QUERY' }, JSON.stringify(filter));
      }
      t.equal(await kinds({ filter: { kind: 'a' } }), 'a');
      t.equal(await kinds({ filter: { kind: { _contains: 'b' } } }), 'b');
      t.equal(await kinds({ filter: { user: { _eq: caller.user } } }), 'cba');
      t.equal(await kinds({ filter: { user: { _neq: caller.user } } }), '', "never another user's");
      for (const filter of [{ message: { _eq: 1 } }, { holder: { _nnull: true } }]) {
        await t.rejects(kinds({ filter }), { code: 'FORBIDDEN' }, JSON.stringify(filter));
      }
      t.equal(await kinds({ sort: 'finished_on,-kind' }), 'cba', 'in any spelling');
      for (const sort of ['message', '-holder', 'kind.x', 'sequence']) {
        await t.rejects(kinds({ sort }), { code: 'FORBIDDEN' }, sort);
      }
      await t.rejects(kinds({ sort: Array(51).fill('kind') }), { code: 'INVALID_QUERY' });
    });

    await t.test('are listed up to a total size', async (t) => {
      const caller = person();
      const made = [];
      for (let count = 0; count < 3; count += 1) {
        made.push((await jobs.submit(submission(caller))).id);
      }
      await pool.query(
        `UPDATE system_jobs SET result = to_jsonb(repeat('x', 25000000)) WHERE id = ANY ($1)`,
        [made],
      );
      const listed = (query: QueryParameters) => jobs.list(caller, parseQuery(query, BOUNDS));
      t.equal((await listed({ limit: 2 })).length, 2);
      for (const query of [{ limit: -1 }, { limit: 3, search: 'things' }, { sort: 'id' }]) {
        await t.rejects(listed(query), { code: 'CONTENT_TOO_LARGE' }, JSON.stringify(query));
      }
      await pool.query('UPDATE system_jobs SET result = NULL WHERE id = ANY ($1)', [made]);
    });

    await t.test('are found by the beginning of file name, collection and id', async (t) => {
      const caller = person();
      const made = async (name: string, more: Partial<Submission> = {}) => {
        const file = { name, bytes: 5, format: 'csv', dialect: { separator: ';' } };
        return (await jobs.submit(submission(caller, { file, ...more }))).id;
      };
      const orders = await made('Orders 2024.csv', { kind: 'a' });
      const other = await made('50%_off.csv', { kind: 'b', collection: 'Orders' });
      const third = await made('back\\slash\0.csv', { kind: 'c', collection: null });
      const found = async (search: string, more: QueryParameters = {}, by = caller) => {
        const list = await jobs.list(by, parseQuery({ search, ...more }, BOUNDS));
        return list.map(({ kind }) => kind).join('');
      };
      t.equal(await found('orders'), 'ba', 'of file name and collection, in any case');
      t.equal(await found('2024'), '', 'not in the middle');
      t.equal(await found('50%_'), 'b', 'special characters are literal');
      t.equal(await found('5%'), '');
      t.equal(await found('back\\'), 'c');
      t.equal(await found(orders), 'a');
      t.equal(await found(third.slice(0, 20).toUpperCase()), 'c');
      t.equal(await found(`${orders}0`), '');
      t.equal(await found('orders', { sort: 'kind' }), 'ab');
      t.equal(await found('orders', { filter: '{"kind":"a"}' }), 'a');
      t.equal(await found('orders', { limit: 1, offset: 1 }), 'a');
      t.equal(await found('orders', { limit: -1 }), 'ba');
      t.equal(await found('orders', {}, person()), '', "never another user's");
      t.equal(await found('orders', { limit: 1 }, admin), 'b');
      t.match(await jobs.get(other, caller), {
        ...{ file_name: '50%_off.csv', file_size: 5, file_format: 'csv' },
        dialect: { separator: ';' },
      });
      t.match(await jobs.get(third, caller), { file_name: 'back\\slash\u{fffd}.csv' });
    });

    await t.test('are listed after one of them', async (t) => {
      const caller = person();
      const ids: string[] = [];
      for (let n = 0; n < 9; n += 1) ids.push((await jobs.submit(submission(caller))).id);
      for (const [index, id] of ids.entries()) {
        const size = index % 3 === 0 ? 'NULL' : String(index % 3);
        await set(id, `file_size = ${size}, file_name = 'f' || ${index % 2}`);
      }
      for (const parameters of [
        {},
        { sort: 'file_size' },
        { sort: '-file_size' },
        { sort: 'file_name' },
        { sort: '-file_name' },
        { sort: '-created_on' },
        { sort: 'user' },
        { sort: 'file_size', filter: '{"file_name":"f0"}' },
        { sort: 'file_size', search: 'f1' },
        { search: 'f1' },
      ]) {
        const list = async (limit: number, after: string | null) => {
          const found = await jobs.list(caller, {
            ...parseQuery({ ...parameters, limit }, BOUNDS),
            after,
          });
          return found.map(({ id }) => id);
        };
        const all = await list(-1, null);
        const pages: string[] = [];
        for (;;) {
          const page = await list(2, pages.at(-1) ?? null);
          pages.push(...page);
          if (page.length < 2) break;
        }
        t.strictSame(pages, all, JSON.stringify(parameters));
      }
      const refused = async (parameters: QueryParameters, after: string) =>
        t.rejects(jobs.list(caller, { ...parseQuery(parameters, BOUNDS), after }), {
          code: 'INVALID_QUERY',
        });
      await refused({ sort: 'kind,state' }, ids[0] ?? '');
      await refused({ offset: 1 }, ids[0] ?? '');
      await refused({}, 'x');
      await refused({}, randomUUID());
    });

    await t.test('are found in any order, few or many of them', async (t) => {
      const [few, many] = [person(), person()];
      for (const [{ user }, count] of [
        [few, 40],
        [many, 5_200],
      ] as const) {
        await pool.query(
          `INSERT INTO system_jobs (kind, queue, message, message_version, state, finished_on,
             "user", file_name, file_size)
           SELECT 'k', 'transfer', '{}', 1, 'failed', now(), $1,
             CASE n % 2 WHEN 0 THEN 'same' ELSE 'Same ' || n END, n * 7919 % 1000
           FROM generate_series(1, $2::int) AS n`,
          [user, count],
        );
      }
      for (const by of [few, many]) {
        for (const [sort, order] of [
          ['file_size', 'file_size, sequence'],
          ['-file_name', 'file_name DESC, sequence DESC'],
        ] as const) {
          for (const search of ['same', 'same 1', undefined]) {
            const query = parseQuery({ sort, search, limit: 30, offset: 5 }, BOUNDS);
            const found = await jobs.list(by, query);
            const { rows } = await pool.query<{ id: string }>(
              `SELECT id FROM system_jobs WHERE "user" = $1 AND lower(file_name) LIKE $2
               ORDER BY ${order} LIMIT 30 OFFSET 5`,
              [by.user, `${search ?? ''}%`],
            );
            t.strictSame(
              found.map(({ id }) => id),
              rows.map(({ id }) => id),
              `${search} by ${sort}`,
            );
          }
        }
      }
      await pool.query('DELETE FROM system_jobs WHERE "user" = ANY ($1)', [[few.user, many.user]]);
    });

    await t.test('show their position', async (t) => {
      await pool.query("UPDATE system_jobs SET state = 'failed', finished_on = now()");
      const [first, second] = [person(), person()];
      const made: string[] = [];
      for (const by of [first, first, second]) {
        made.push((await jobs.submit(submission(by, { holder: `user:${by.user}` }))).id);
      }
      const shown = async () => {
        const list = await jobs.list(admin, parseQuery({ limit: 10 }, BOUNDS));
        const positions = made.map((id) => list.find((job) => job.id === id)?.position);
        const single = await Promise.all(made.map((id) => jobs.get(id, admin)));
        t.strictSame(
          single.map(({ position }) => position),
          positions,
        );
        return positions;
      };
      t.strictSame(await shown(), [1, 3, 2], 'by turns');
      await set(made[0] ?? '', COMPLETED);
      t.strictSame(await shown(), [null, 2, 1]);
    });

    await t.test('can be awaited', async (t) => {
      const caller = person();
      const { id } = await jobs.submit(submission(caller));
      t.equal(await jobs.wait(id, 1), null);
      t.equal(await jobs.wait(id, 60_000, AbortSignal.abort()), null);
      const announced = jobs.wait(id, 60_000);
      await set(id, COMPLETED);
      await bus.publish('job.finished', { id });
      t.match(await announced, { state: 'completed', result: { n: 1 } });
      t.match(await jobs.wait(id, 60_000), { state: 'completed' }, 'one that has ended');
      const { id: silent } = await jobs.submit(submission(caller));
      const unannounced = jobs.wait(silent, 60_000);
      await set(silent, COMPLETED);
      t.match(await unannounced, { state: 'completed' }, 'also when the message is lost');
    });

    await t.test('are watched with their progress', async (t) => {
      const caller = person();
      const { id } = await jobs.submit(submission(caller));
      const seen: Job[] = [];
      for await (const job of jobs.watch(id, caller)) {
        seen.push(job);
        if (job.state === 'waiting') {
          await set(id, `state = 'running', started_on = now(), attempt = 1`);
          const progress = { rows: 5, bytes: 50, percent: 25 };
          await bus.publish('job.progress', { id, progress });
        } else if (job.progress !== null && job.state === 'running') {
          t.match(await jobs.get(id, caller), { progress: { rows: 5 } });
          await set(id, COMPLETED);
          await bus.publish('job.finished', { id });
        }
      }
      t.strictSame([...new Set(seen.map((job) => job.state))], ['waiting', 'running', 'completed']);
      t.match(seen.at(-2), { progress: { rows: 5, bytes: 50, percent: 25 }, attempts: 1 });
      const finished = [];
      for await (const job of jobs.watch(id, caller)) finished.push(job.state);
      t.strictSame(finished, ['completed']);
      const { id: endless } = await jobs.submit(submission(caller));
      const gone = new AbortController();
      for await (const _ of jobs.watch(endless, caller, gone.signal)) gone.abort();
    });

    await t.test('that wait are cancelled at once, running ones by request', async (t) => {
      const caller = person();
      const { id: waiting } = await jobs.submit(submission(caller));
      const ended = jobs.wait(waiting, 60_000);
      await jobs.cancel(waiting, caller);
      t.match(await ended, { state: 'cancelled', finished_on: String });
      t.equal(await queue.state(waiting), 'unknown');
      await jobs.cancel(waiting, caller);

      const { id: running } = await jobs.submit(submission(caller, { fingerprint: 'f' }));
      await set(running, `state = 'running', started_on = now(), attempt = 1`);
      const asked = new Promise((resolve) => bus.subscribe('job.cancel', resolve));
      await jobs.cancel(running, caller);
      t.strictSame(await asked, { id: running });
      t.equal((await jobs.get(running, caller)).state, 'running');
      const next = await jobs.submit(submission(caller, { fingerprint: 'f' }));
      t.equal(next.joined, false, 'what is being cancelled is not joined');

      for (const [values, state] of [
        [COMPLETED, 'completed'],
        [`state = 'failed', error = '[]', finished_on = now()`, 'failed'],
        [`state = 'running', result = '{"n":1}', attempt = 1`, 'running'],
      ] as const) {
        const { id: finished } = await jobs.submit(submission(caller));
        await set(finished, values);
        await t.rejects(jobs.cancel(finished, caller), { code: 'CONFLICT', details: { state } });
        t.equal((await jobs.get(finished, caller)).state, state);
        await t.rejects(jobs.cancel(finished, person()), FORBIDDEN, 'other users learn nothing');
      }
    });

    await t.test('wake the next job of their mailbox when they are cancelled', async (t) => {
      const caller = person();
      const mailbox = 'test:things';
      const { id: first } = await jobs.submit(submission(caller, { mailbox }));
      const { id: second } = await jobs.submit(submission(caller, { mailbox }));
      await queue.remove(second);
      await queue.add(second, 'test', { delay: 600_000 });
      await jobs.cancel(first, caller);
      t.equal(await queue.state(second), 'waiting');
    });

    await t.test('yield their rejected rows in order', async (t) => {
      const caller = person();
      const { id } = await jobs.submit(submission(caller));
      await pool.query(
        `INSERT INTO system_job_errors (job, position, "row", field, value, reason, code)
        SELECT $1, n, n + 1, 'f', 'v' || n, 'r', 'FAILED_VALIDATION' FROM generate_series(0, 1500) n`,
        [id],
      );
      const rows: RejectedRow[] = [];
      for await (const row of jobs.errors(id, caller)) rows.push(row);
      t.equal(rows.length, 1501);
      t.strictSame(rows[1500], {
        row: 1501,
        field: 'f',
        value: 'v1500',
        reason: 'r',
        code: 'FAILED_VALIDATION',
        reason_code: null,
        reason_parameters: null,
      });
    });
  });

  t.test(`a job that the queue on ${backend.name} rejects does not exist`, async (t) => {
    const port = await freePort();
    const scheme = backend.name === 'postgres' ? 'postgres' : 'redis';
    const away = `${scheme}://127.0.0.1:${port}`;
    const { pool, jobs, submission } = await setUp(t, backend, away);
    const caller = person();
    const keyed = { idempotencyKey: 'k', holder: `user:${caller.user}` };
    await t.rejects(jobs.submit(submission(caller, keyed)), { code: 'SERVICE_UNAVAILABLE' });
    const keys = await pool.query('SELECT FROM system_idempotency_keys');
    t.equal(keys.rowCount, 0, 'its key is free for another request');
    const listed = await jobs.list(caller, parseQuery({ limit: 1 }, BOUNDS));
    t.strictSame(listed, [], 'no message announces a rejected job');
  });
}
