/**
 * Measures writes of many items at once, compared with set statements, and without history compared
 * with COPY.
 */
import assert from 'node:assert/strict';
import { from as copyFrom } from 'pg-copy-streams';
import type { Environment } from '../environment.ts';
import { isAsked } from '../options.ts';
import { comparison, type Row } from '../result-row.ts';
import { CHANGE, type History, ITEM } from './request.ts';

const CREATED = 10_000;
const UPDATED = 1_000;
/** Updates in one run. */
const REPEATED = 5;

/** Sends JSON and returns the text of the answer. */
export async function send(
  { token }: Environment,
  url: string,
  method: 'POST' | 'PATCH',
  body: unknown,
): Promise<string> {
  const response = await fetch(url, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return text;
}

async function copy({ pool }: Environment): Promise<void> {
  const client = await pool.connect();
  try {
    const stream = client.query(copyFrom('COPY posts (title, status, views, body) FROM STDIN'));
    const line = `${Object.values(ITEM).join('\t')}\n`;
    await new Promise<void>((resolve, reject) => {
      stream.on('finish', resolve).on('error', reject);
      stream.end(line.repeat(CREATED));
    });
  } finally {
    client.release();
  }
}

interface Contest {
  readonly id: string;
  readonly title: string;
  readonly rows: number;
  readonly goal: number;
  readonly history: History;
  readonly mine: () => Promise<unknown>;
  readonly theirs: () => Promise<unknown>;
}

async function rate(rows: number, work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (rows * 1_000) / (performance.now() - started);
}

async function compete(environment: Environment, contest: Contest): Promise<Row> {
  const { id, title, rows, goal, mine, theirs } = contest;
  environment.say(`write: ${title}`);
  const duel = { sluice: [] as number[], baseline: [] as number[] };
  for (let round = 0; round <= environment.options.rounds; round += 1) {
    const own = await rate(rows, mine);
    const other = await rate(rows, theirs);
    // The first round warms up.
    if (round === 0) continue;
    duel.sluice.push(own);
    duel.baseline.push(other);
  }
  return comparison({ id, title, unit: 'rows/s' }, duel, goal);
}

/**
 * Measures writes of many items.
 * @param other the URL of the baseline
 * @param keys those of items that may be changed
 * @param settle waits until this kind of history is configured
 */
export async function measureMany(
  environment: Environment,
  other: string,
  keys: readonly number[],
  settle: (history: History) => Promise<void>,
): Promise<Row[]> {
  const items = Array.from({ length: CREATED }, () => ITEM);
  const change = { keys: keys.slice(0, UPDATED), data: CHANGE };
  const own = `${environment.url}/items/posts?fields=id&limit=-1`;
  const updates = (url: string) => async () => {
    for (let time = 0; time < REPEATED; time += 1) await send(environment, url, 'PATCH', change);
  };
  const contests: Contest[] = [
    {
      ...{ id: 'write/many-update', title: `update ${UPDATED.toLocaleString('en')} items by keys` },
      ...{ rows: UPDATED * REPEATED, goal: 0.7, history: 'all' },
      mine: updates(own),
      theirs: updates(`${other}/many`),
    },
    {
      ...{ id: 'write/many-create', title: `create ${CREATED.toLocaleString('en')} items` },
      ...{ rows: CREATED, goal: 0.6, history: 'all' },
      mine: () => send(environment, own, 'POST', items),
      theirs: () => send(environment, `${other}/many`, 'POST', items),
    },
    {
      ...{
        id: 'write/many-copy',
        title: `create ${CREATED.toLocaleString('en')} items, compared with COPY`,
      },
      ...{ rows: CREATED, goal: 0.3, history: null },
      mine: () => send(environment, own, 'POST', items),
      theirs: () => copy(environment),
    },
  ];
  const rows: Row[] = [];
  for (const contest of contests) {
    if (!isAsked(environment.options, contest)) continue;
    await settle(contest.history);
    rows.push(await compete(environment, contest));
  }
  return rows;
}
