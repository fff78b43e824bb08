/** A client that imports small files one after the other, and repeats unanswered requests. */
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../until.ts';
import type { SluiceHost } from './installation.ts';

const ROWS = 50;
const AGAIN_MS = 200;
const MOST_ATTEMPTS = 100;
const PAUSE_MS = 50;

export interface SubmittedImport {
  readonly job: string;
  /** The value in a column of all its rows. */
  readonly label: string;
  readonly rows: number;
}

/** A file of this many rows with a label. */
export function fileOf(label: string, rows: number): FormData {
  const lines = Array.from({ length: rows }, (_, n) => `${label},${n}\n`);
  const form = new FormData();
  form.set('file', new Blob([`label,number\n${lines.join('')}`], { type: 'text/csv' }), 'file.csv');
  return form;
}

/** Submits an import at one of the edges, again with the same key until one has accepted it. */
export async function submit(
  edges: readonly SluiceHost[],
  label: string,
  { rows = ROWS, collection = 'item' } = {},
): Promise<SubmittedImport> {
  for (let attempt = 0; ; attempt += 1) {
    const edge = edges[attempt % edges.length];
    // A request without a response, or with a 503, is repeated.
    const answer = await edge
      ?.ask(`/utils/import/${collection}?background`, {
        method: 'POST',
        body: fileOf(label, rows),
        headers: { 'idempotency-key': label.replaceAll(' ', '-') },
      })
      .catch(() => undefined);
    const text = await answer?.text().catch(() => '');
    const job = answer?.headers.get('location');
    if (answer?.status === 202 && job) return { job, label, rows };
    if ([400, 403].includes(answer?.status ?? 0) || attempt === MOST_ATTEMPTS) {
      throw new Error(`${label} is not accepted: ${answer?.status ?? 'no answer'} ${text}`);
    }
    await delay(AGAIN_MS);
  }
}

/** The state of a job; null when it is unavailable. */
export async function stateOf(edge: SluiceHost, job: string): Promise<string | null> {
  try {
    const answer = await edge.ask(job);
    return /"state":"(\w+)"/.exec(await answer.text())?.[1] ?? null;
  } catch {
    return null;
  }
}

/** Resolves with the state in which a job has ended. */
export async function ended(edge: SluiceHost, job: string): Promise<string> {
  return await until(
    async () => {
      const state = await stateOf(edge, job);
      return state === 'waiting' || state === 'running' ? null : state;
    },
    `${job} ends`,
    90_000,
  );
}

export interface ImportingClient {
  /** The accepted imports. */
  readonly submitted: readonly SubmittedImport[];
  /** Resolves when its last import is accepted. */
  stop(): Promise<void>;
}

/** Imports at alternating edges until it is stopped. */
export function startImporting(name: string, edges: readonly SluiceHost[]): ImportingClient {
  const submitted: SubmittedImport[] = [];
  let stopped = false;
  const run = async () => {
    for (let turn = 0; !stopped; turn += 1) {
      const first = turn % edges.length;
      const order = [...edges.slice(first), ...edges.slice(0, first)];
      submitted.push(await submit(order, `${name} ${turn}`));
      await delay(PAUSE_MS);
    }
  };
  const running = run();
  return {
    submitted,
    async stop() {
      stopped = true;
      await running;
    },
  };
}
