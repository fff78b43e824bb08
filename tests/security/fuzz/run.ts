/**
 * Sends made-up requests to a real edge for a while and looks for what must never be: an answer
 * that is the server's fault, something secret in an answer, a log or a job, and something made up
 * in the text of a statement.
 */
import fc from 'fast-check';
import type { Test } from 'tap';
import { ADMIN_TOKEN, type Cluster, startCluster } from '#tests/harness/cluster.ts';
import { asSuperuser } from '#tests/harness/database.ts';
import { listenIn, type Wire } from '#tests/harness/wire.ts';
import { type Draft, draft } from './grammar.ts';
import { type Reply, Sender, targetOf } from './send.ts';
import { CONCEALED, HIDDEN, HIDDEN_NUMBER, plant } from './site.ts';
import { TOKEN } from './vocabulary.ts';

const CONNECTIONS = 6;
const BATCH = 300;
/** Who of the askers sends one request after the other; few come from anonymous callers. */
const SHARES = [0, 1, 1, 0, 2, 1, 0, 1];
/** More would only repeat the same faults. */
const MOST_FAULTS = 12;
/** What belongs into a log, but into no answer. */
const INNARDS = /syntax error|node_modules|\.ts:\d|pg_catalog|SELECT |at character|relation "/;

interface Asker {
  readonly name: string;
  readonly token: string | null;
}

export interface Siege {
  readonly cluster: Cluster;
  readonly wire: Wire;
  readonly askers: readonly [Asker, ...Asker[]];
  /** What the processes have written so far. */
  readonly output: () => string;
}

interface Outcome {
  readonly requests: number;
  /** Answers by status. */
  readonly statuses: ReadonlyMap<number, number>;
  readonly faults: readonly string[];
}

const ENV = {
  LOG_LEVEL: 'info',
  LOGIN_STALL_TIME: '1ms',
  REGISTER_STALL_TIME: '1ms',
  RATE_LIMIT_LOGIN_ENABLED: 'false',
  RATE_LIMIT_REGISTRATION_ENABLED: 'false',
  QUERY_TIMEOUT: '5s',
  // What is kept for one must not be given to another.
  EDGE_PROCESSES: '1',
  CACHE_ENABLED: 'true',
  CACHE_STATUS_HEADER: 'X-Cache',
};

/** Starts an edge and a worker on a database of secrets, its connections overheard. */
export async function prepare(t: Test): Promise<Siege> {
  const cluster = await startCluster(t, { edges: 0, env: ENV });
  const wire = await listenIn(t, cluster.databaseUrl);
  const edge = await cluster.addEdge({ DATABASE_URL: wire.url });
  const worker = await cluster.startWorker();
  let output = '';
  for (const { process } of [edge, worker]) {
    for (const stream of [process.stdout, process.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
    }
  }
  const own = { ...cluster, url: edge.url };
  const token = await plant(own);
  const askers = [
    { name: 'admin', token: ADMIN_TOKEN },
    { name: 'member', token },
    { name: 'anonymous', token: null },
  ] as const;
  return { cluster: own, wire, askers, output: () => output };
}

/**
 * A statement that took too long, a mail that cannot be sent, more passwords than can be checked, a read
 * that rights have overtaken.
 */
function isDeliberate({ status, text }: Reply): boolean {
  return status === 503 && /QUERY_TIMEOUT|"service":"(?:mail|passwords|rights)"/.test(text);
}

function faultOf(asker: Asker, reply: Reply): string | null {
  const { status, text } = reply;
  if (status === 0) return `was cut: ${text}`;
  if (status >= 500 && !isDeliberate(reply))
    return `was answered by ${status}: ${text.slice(0, 300)}`;
  if (text.includes(CONCEALED)) return 'tells what is concealed from everybody';
  if (asker.token !== ADMIN_TOKEN && (text.includes(HIDDEN) || text.includes(HIDDEN_NUMBER))) {
    return `tells what is hidden: ${text.slice(0, 300)}`;
  }
  if (status >= 400 && INNARDS.test(text)) return `tells of the inside: ${text.slice(0, 300)}`;
  return null;
}

function described(asker: Asker, sent: Draft): string {
  const body = sent.body === undefined ? '' : ` ${JSON.stringify(sent.body)}`;
  return `${asker.name}: ${sent.method} ${targetOf(sent)}${body}`.slice(0, 600);
}

/** Sends requests for so many milliseconds. Equal seeds send equal requests in the same order. */
export async function besiege(siege: Siege, seed: number, duration: number): Promise<Outcome> {
  const { askers } = siege;
  const sender = new Sender(siege.cluster.url, CONNECTIONS);
  const statuses = new Map<number, number>();
  const faults: string[] = [];
  const end = performance.now() + duration;
  let requests = 0;
  const ask = async (sent: Draft, asker: Asker) => {
    requests += 1;
    const reply = await sender.send(sent, asker.token, requests);
    statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
    const fault = faultOf(asker, reply);
    if (fault !== null) faults.push(`${described(asker, sent)}\n  ${fault}`);
  };
  for (let batch = 0; performance.now() < end && faults.length < MOST_FAULTS; batch += 1) {
    const waiting = fc.sample(draft, { seed: seed + batch, numRuns: BATCH });
    const work = async () => {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        if (performance.now() > end) return;
        const place = waiting.length % SHARES.length;
        const asker = askers[SHARES[place] ?? 0] ?? askers[0];
        await ask(next, asker);
        // What an administrator was answered may have been kept.
        if (place === 0 && next.method === 'GET') await ask(next, askers[1] ?? asker);
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, work));
  }
  sender.close();
  return { requests, statuses, faults };
}

/** The statements, as PostgreSQL or the wire knows them, into which something made up has come. */
export async function tainted({ cluster, wire }: Siege): Promise<string[]> {
  const database = new URL(cluster.databaseUrl).pathname.slice(1);
  let known: string[] = [];
  await asSuperuser(async (client) => {
    await client.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
    const { rows } = await client.query<{ query: string }>(
      `SELECT s.query FROM pg_stat_statements AS s JOIN pg_database AS d ON d.oid = s.dbid
       WHERE d.datname = $1`,
      [database],
    );
    known = rows.map(({ query }) => query);
  });
  if (known.length < 100) throw new Error(`pg_stat_statements knows ${known.length} statements`);
  const all = new Set([...known, ...wire.statements]);
  return [...all].filter((text) => text.toLowerCase().includes(TOKEN));
}

/** Who may see what: history only callers who may read it, jobs nobody else. */
const RECORDS: readonly (readonly [string, readonly string[]])[] = [
  ['system_revisions', [CONCEALED]],
  ['system_activity', [CONCEALED, HIDDEN]],
  ['system_jobs', [CONCEALED, HIDDEN, HIDDEN_NUMBER]],
  ['system_job_errors', [CONCEALED, HIDDEN, HIDDEN_NUMBER]],
];

/** The tables of jobs, of queues and of what happened that hold something secret. */
export async function leaky({ cluster: { db } }: Siege): Promise<string[]> {
  const { rows: queues } = await db.query<{ name: string }>(
    `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
     WHERE table_schema = 'bullmq' AND table_type = 'BASE TABLE'`,
  );
  const all = queues.map(({ name }) => [name, [CONCEALED, HIDDEN, HIDDEN_NUMBER]] as const);
  const found: string[] = [];
  for (const [name, secrets] of [...RECORDS, ...all]) {
    const { rows } = await db.query<{ text: string }>(
      `SELECT t::text AS text FROM ${name} AS t
       WHERE EXISTS (SELECT FROM unnest($1::text[]) AS s WHERE strpos(t::text, s) > 0) LIMIT 1`,
      [secrets],
    );
    found.push(...rows.map(({ text }) => `${name}: ${text.slice(0, 300)}`));
  }
  return found;
}

/** Whether a log tells something secret. */
export function logLeaks({ output }: Siege): string[] {
  const secret = (line: string) => line.includes(CONCEALED) || line.includes(HIDDEN);
  return output().split('\n').filter(secret).slice(0, 5);
}
