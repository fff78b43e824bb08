// @newest @slow
/** The events of a running job: followed from edge to edge, over the end of its worker. */
import { once } from 'node:events';
import t from 'tap';
import { backends } from '#tests/harness/backend.ts';
import { ADMIN_TOKEN, QUICK_TAKEOVER, startCluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';
import { upload } from '#tests/harness/upload.ts';

/** Rows that an import writes at once; the test lets it write one batch after the other. */
const BATCH = 500;
const BATCHES = 6;
/** So much that a batch is more than one piece of the file. */
const PAD = 'x'.repeat(1_200);

/** The import waits for the lock of each batch. */
const TABLES = `
  CREATE TABLE maker (id serial PRIMARY KEY, name text);
  CREATE TABLE part (id int PRIMARY KEY, pad text, maker int REFERENCES maker);
  CREATE FUNCTION wait_for_turn() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    PERFORM pg_advisory_xact_lock_shared(7, new.id / ${BATCH});
    RETURN new;
  END $$;
  CREATE TRIGGER turn BEFORE INSERT ON part
    FOR EACH ROW WHEN (new.id % ${BATCH} = 0) EXECUTE FUNCTION wait_for_turn()`;

interface Event {
  readonly name: string;
  readonly id: string;
  readonly rows: number;
}

/** Reads events until one is wanted, or the stream ends. */
async function follow(
  url: string,
  job: string,
  last: string | null,
  isWanted: (event: Event) => boolean,
): Promise<{ readonly status: number; readonly events: readonly Event[] }> {
  const controller = new AbortController();
  const response = await fetch(`${url}/jobs/${job}/events`, {
    signal: controller.signal,
    headers: {
      authorization: `Bearer ${ADMIN_TOKEN}`,
      ...(last === null ? {} : { 'last-event-id': last }),
    },
  });
  const events: Event[] = [];
  let text = '';
  const decoder = new TextDecoder();
  try {
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      const parts = text.split('\n\n');
      text = parts.pop() ?? '';
      for (const part of parts) {
        const [, name, id, data] = /^event: (\w+)\nid: (\S+)\ndata: (.*)$/.exec(part) ?? [];
        if (name === undefined || id === undefined || data === undefined) continue;
        const event = { name, id, rows: JSON.parse(data).progress?.rows ?? 0 };
        events.push(event);
        if (isWanted(event)) return { status: response.status, events };
      }
    }
  } finally {
    controller.abort();
  }
  return { status: response.status, events };
}

/** Attempt, rows and bytes of an id. */
function position({ id }: Event): readonly number[] {
  return id.split(',').map(Number);
}

function isAfter(event: Event, other: Event): boolean {
  const [own, before] = [position(event), position(other)];
  const index = own.findIndex((value, place) => value !== before[place]);
  return index !== -1 && (own[index] ?? 0) > (before[index] ?? 0);
}

for (const backend of backends) {
  t.test(`events with the queue on ${backend.name}`, async (t) => {
    const cluster = await startCluster(t, { env: { ...backend.env, ...QUICK_TAKEOVER } });
    const second = await cluster.addEdge();
    const urls = [cluster.url, second.url];
    await cluster.db.query(TABLES);
    await until(async () => (await cluster.fetch('/items/part')).ok, 'the tables are known');
    const gate = await cluster.db.connect();
    t.teardown(() => gate.release());
    for (let n = 0; n < BATCHES; n += 1) await gate.query('SELECT pg_advisory_lock(7, $1)', [n]);
    const open = (n: number) => gate.query('SELECT pg_advisory_unlock(7, $1)', [n]);
    let worker = await cluster.startWorker();

    const rows = Array.from({ length: BATCH * BATCHES }, (_, n) => `${n},${PAD},maker ${n}\n`);
    const answer = await upload(cluster, 'part', `id,pad,maker.name\n${rows.join('')}`, {
      query: '?background',
    });
    t.equal(answer.status, 202);
    const job = (answer.headers.get('location') ?? '').slice('/jobs/'.length);

    const seen: Event[] = [];
    let turn = 0;
    /** Goes on where the client has lost its stream, at the other edge. */
    const resume = async (isWanted: (event: Event) => boolean) => {
      turn += 1;
      const last = seen.at(-1);
      const url = urls[turn % 2] ?? '';
      const { events } = await follow(url, job, last?.id ?? null, isWanted);
      const [first] = events;
      if (last !== undefined && first !== undefined) {
        t.ok(isAfter(first, last), `${first.id} comes after ${last.id}`);
      }
      for (const event of events) {
        const before = seen.at(-1);
        if (before !== undefined) t.notOk(isAfter(before, event), `${event.id} is not older`);
        seen.push(event);
      }
    };
    // The last rows of a chunk may wait for the next one.
    const written = (batches: number, attempt: number) => (event: Event) =>
      position(event)[0] === attempt && event.rows >= batches * BATCH;

    for (const n of [0, 1]) {
      await open(n);
      await resume(written(n + 1, 1));
    }
    const exited = once(worker.process, 'exit');
    worker.process.kill('SIGKILL');
    await exited;
    worker = await cluster.startWorker();
    await resume(written(2, 2));
    t.notOk(
      seen.some((event) => position(event)[0] === 2 && event.rows > 2 * BATCH),
      'the second attempt begins anew',
    );
    for (const n of [2, 3]) {
      await open(n);
      await resume(written(n + 1, 2));
    }
    const lost = seen.at(-1);
    await open(4);
    await open(5);
    await resume(() => false);
    const end = seen.at(-1);
    t.match(end, { name: 'end', rows: BATCH * BATCHES });
    t.equal(seen.filter(({ name }) => name === 'end').length, 1);
    for (const url of urls) {
      t.match(await follow(url, job, end?.id ?? '', () => false), { status: 204, events: [] });
      const { events } = await follow(url, job, lost?.id ?? '', () => false);
      t.strictSame(events, [end], 'who missed the end gets it, at every edge');
    }
    // What is recorded behind the end changes no end.
    await cluster.db.query(`UPDATE system_jobs SET progress = NULL WHERE id = $1`, [job]);
    t.equal((await follow(urls[0] ?? '', job, end?.id ?? '', () => false)).status, 204);
  });
}
