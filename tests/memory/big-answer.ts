/** Reads a table of any size through a real edge and tells what that took of memory. */
import { once } from 'node:events';
import { get, IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { ADMIN_TOKEN, type Cluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';
import { MemoryWatch } from './process.ts';

export const MEBIBYTE = 1_048_576;

export interface BigTable {
  readonly rows: number;
  /** Characters of one column; the others have some sixty more. */
  readonly width: number;
}

export interface Reading {
  /** What comes behind `limit=-1`, such as `&export=csv`. */
  readonly how: string;
  /** Stands once in the answer for each row. */
  readonly marker: string;
  readonly slow?: boolean;
}

export interface Taken {
  readonly rows: number;
  readonly bytes: number;
  /** The answer ended as one does. */
  readonly whole: boolean;
  /** Bytes by which the edge grew. */
  readonly edge: number;
  /** Most bytes that the backend held. */
  readonly backend: number;
}

/** Rows of the first reading, which is not measured. */
const WARMING = 20_000;

export const LIST: Reading = { how: '', marker: '"id":' };
export const EXPORTS: readonly Reading[] = [
  { how: '&export=csv', marker: '\n' },
  { how: '&export=json', marker: '"id":' },
  { how: '&export=ndjson', marker: '\n' },
  { how: '&export=xml', marker: '<item>' },
];

/** Makes the table `big`. */
export async function createBig(cluster: Cluster, { rows, width }: BigTable): Promise<void> {
  await cluster.db.query(
    `CREATE TABLE big (id int PRIMARY KEY, name text, amount numeric, made timestamptz, note text);
     INSERT INTO big SELECT i, 'name ' || i, i / 7.0, timestamptz '2024-01-01' + i * interval '1 s',
       repeat('x', ${width}) FROM generate_series(1, ${rows}) i;
     ANALYZE big`,
  );
  await until(async () => (await cluster.fetch('/items/big?limit=0')).ok, 'the table is known');
}

/** Counts a text in bytes that come in pieces. */
class Count {
  readonly #marker: Buffer;
  #rest: Buffer = Buffer.alloc(0);
  total = 0;

  constructor(marker: string) {
    this.#marker = Buffer.from(marker);
  }

  add(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let end = 0;
    for (let at = bytes.indexOf(this.#marker); at >= 0; at = bytes.indexOf(this.#marker, end)) {
      this.total += 1;
      end = at + this.#marker.length;
    }
    // A piece may end within the text.
    this.#rest = bytes.subarray(Math.max(end, bytes.length - this.#marker.length + 1));
  }
}

/** The process that reads the table for the edge. */
async function backendOf(cluster: Cluster): Promise<number | undefined> {
  const { rows } = await cluster.db.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND state <> 'idle'
       AND application_name = 'sluice edge' AND query LIKE '%big%'`,
  );
  return rows[0]?.pid;
}

async function readOut(cluster: Cluster, { how, marker, slow = false }: Reading) {
  const asked = get(`${cluster.url}/items/big?limit=-1${how}`, {
    headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    agent: false,
  });
  const [answer] = await once(asked, 'response');
  if (!(answer instanceof IncomingMessage) || answer.statusCode !== 200) {
    throw new Error(`${how} is not answered`);
  }
  const count = new Count(marker);
  let bytes = 0;
  let rested = 0;
  for await (const chunk of answer) {
    count.add(chunk);
    bytes += chunk.length;
    if (!slow || bytes - rested < MEBIBYTE) continue;
    rested = bytes;
    await delay(5);
  }
  return { rows: count.total, bytes, whole: answer.complete };
}

/** Reads the whole table after once having read it the same way, so that what stays is there. */
export async function measure(cluster: Cluster, reading: Reading): Promise<Taken> {
  const [edge] = cluster.edges;
  if (edge === undefined) throw new Error('the cluster has an edge');
  await readOut(cluster, { ...reading, how: `${reading.how}&filter[id][_lte]=${WARMING}` });
  const watch = new MemoryWatch(edge.pid);
  watch.look();
  const before = watch.edge;
  const answer = readOut(cluster, reading);
  watch.watchBackend(await until(() => backendOf(cluster), 'a statement about the table runs'));
  const taken = await answer;
  watch.end();
  return { ...taken, edge: watch.edge - before, backend: watch.backend };
}
