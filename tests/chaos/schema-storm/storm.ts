/**
 * Changes a schema at random through one of two edges while both are read from and written to, and
 * keeps what they answered: no answer may be a failure of the server, and what was answered for a
 * change must be known at every edge from then on.
 */
import type { Test } from 'tap';
import { ADMIN_TOKEN, type Cluster, type Member, startCluster } from '#tests/harness/cluster.ts';
import { Dice } from '#tests/harness/dice.ts';
import { StormPlan } from './plan.ts';

const CLIENTS = 4;

/** An answer as the log of all answers keeps it. */
interface Answer {
  readonly edge: number;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly text: string;
}

export interface StormReport {
  readonly changes: number;
  readonly requests: number;
  /** How often each status was answered. */
  readonly statuses: ReadonlyMap<number, number>;
  /** Answers that should not be: failures of the server, refused changes, and stale answers. */
  readonly faults: readonly string[];
}

class Storm {
  readonly #urls: readonly string[];
  readonly #plan: StormPlan;
  readonly #seed: number;
  readonly faults: string[] = [];
  readonly statuses = new Map<number, number>();
  requests = 0;
  changes = 0;
  #over = false;

  constructor(urls: readonly string[], seed: number) {
    this.#urls = urls;
    this.#seed = seed;
    this.#plan = new StormPlan(new Dice(seed));
  }

  async rage(changes: number): Promise<void> {
    const clients = Array.from({ length: CLIENTS }, (_, number) => this.#use(number));
    try {
      for (; this.changes < changes; this.changes += 1) await this.#change();
    } finally {
      this.#over = true;
      await Promise.all(clients);
    }
  }

  async #ask(edge: number, method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(`${this.#urls[edge]}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${ADMIN_TOKEN}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = { edge, method, path, status: response.status, text: await response.text() };
    this.requests += 1;
    this.statuses.set(answer.status, (this.statuses.get(answer.status) ?? 0) + 1);
    if (answer.status >= 500) this.#fault('failed', answer);
    return answer;
  }

  #fault(what: string, { edge, method, path, status, text }: Answer): void {
    this.faults.push(`${what}: edge ${edge} ${method} ${path}: ${status} ${text.slice(0, 300)}`);
  }

  async #change(): Promise<void> {
    const step = this.#plan.next();
    const edge = this.changes % this.#urls.length;
    const answer = await this.#ask(edge, step.method, step.path, step.body);
    const wanted = step.method === 'DELETE' ? 204 : 200;
    if (answer.status !== wanted) this.#fault(`refused (${step.title})`, answer);
    for (const proof of step.proofs) {
      const seen = await Promise.all(
        this.#urls.map((_, each) => this.#ask(each, 'GET', proof.path)),
      );
      for (const one of seen) {
        if (one.status !== proof.status) this.#fault(`stale (${step.title})`, one);
      }
    }
  }

  async #use(number: number): Promise<void> {
    const dice = new Dice(this.#seed + 1 + number);
    while (!this.#over) {
      const { method, path, body } = this.#plan.traffic(dice);
      await this.#ask(number % this.#urls.length, method, path, body);
    }
  }
}

interface StormCluster {
  readonly cluster: Cluster;
  readonly edges: readonly Member[];
  /** Those of the edges. */
  readonly urls: readonly string[];
}

/** A cluster with two edges and two workers. */
export async function startStormCluster(t: Test): Promise<StormCluster> {
  const cluster = await startCluster(t, { workers: 2, env: { EDGE_PROCESSES: '2' } });
  const second = await cluster.addEdge();
  return { cluster, edges: [...cluster.edges, second], urls: [cluster.url, second.url] };
}

/** Lets a storm of so many changes rage on edges. */
export async function rage(
  urls: readonly string[],
  seed: number,
  changes: number,
): Promise<StormReport> {
  const storm = new Storm(urls, seed);
  await storm.rage(changes);
  return storm;
}
