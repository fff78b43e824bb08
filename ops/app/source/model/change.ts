/**
 * Sends changes of the schema. Each is a job; the request waits for it, and when that takes a moment
 * the job is followed, so that one sees where it is. Both name the same work by their key.
 */
import type { Job } from '../../../client/source/index.ts';
import { client } from '../data/client.ts';

export interface Change {
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  /** Accepts that values are lost. */
  readonly force?: boolean;
  /** Builds indexes while others write to the table. */
  readonly concurrently?: boolean;
  /** Of what the change was made to: it is refused when somebody else has changed that. */
  readonly tag?: string | null;
  /** Takes the change back when a later one of the same work fails. */
  readonly undo?: Change;
}

export interface Watching {
  readonly onJob: (job: Job) => void;
}

/** Most changes are made before anybody would look. */
const PATIENCE = 400;

/** A path of the API, of names that may have any characters. */
export function pathOf(...parts: readonly string[]): string {
  return `/${parts.map(encodeURIComponent).join('/')}`;
}

/** A name for the work; `randomUUID` is missing on pages without TLS. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Makes a change, and returns when every process knows it. @throws why it is refused */
export async function makeChange(change: Change, { onJob }: Watching): Promise<void> {
  const { method, path, body, force, concurrently, tag } = change;
  const controller = new AbortController();
  const headers = { 'idempotency-key': newKey(), ...(tag && { 'if-match': tag }) };
  const query = {
    force: force || undefined,
    concurrentIndexCreation: concurrently || undefined,
  };
  const follow = async () => {
    const given = { query, body, repeat: false, signal: controller.signal };
    const asked = { ...given, headers: { ...headers, prefer: 'respond-async' } };
    const job = await client.request<Job | null>(method, path, asked);
    if (job === null || controller.signal.aborted) return;
    onJob(job);
    const events = client.jobs.events(job.id, { signal: controller.signal });
    for await (const next of events) if (!controller.signal.aborted) onJob(next);
  };
  // What goes wrong is told by the request that waits.
  const timer = setTimeout(() => void follow().catch(() => undefined), PATIENCE);
  try {
    const given = { query, body, headers, repeat: false };
    const response = await client.open(method, path, given);
    await response.text();
    if (response.status !== 202) return;
    await client.jobs.wait(response.headers.get('location')?.split('/').at(-1) ?? '');
  } finally {
    clearTimeout(timer);
    controller.abort();
  }
}
