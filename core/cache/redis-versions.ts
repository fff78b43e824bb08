/** The versions of tables in Redis, where all processes of a cluster read and raise them. */
import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import * as v from 'valibot';
import type { Log } from '#core/log/log.ts';
import { warnSparingly } from '#core/log/sparing.ts';
import { MARK, READ, SETTLE } from './redis-script.ts';
import type { TableVersions } from './versions.ts';

/** Longest wait for Redis (ms). */
const ANSWER_WITHIN_MS = 500;
/** Time (ms) for an orderly end of a connection that does not answer. */
const HANG_UP_WITHIN_MS = 100;
const BACK_OFF_MS = { first: 50, most: 2_000 };
/** How long (ms) the marks of a writer that is gone keep readers away. */
export const MARK_MS = 10_000;

const Texts = v.array(v.string());

/** Epoch and versions by table, of one moment; null when they could not be read. */
type Found = { readonly epoch: string; readonly versions: ReadonlyMap<string, string> } | null;

/** Tables asked for in one turn of the event loop. */
interface Batch {
  readonly tables: Set<string>;
  readonly found: Promise<Found>;
}

export class RedisVersions implements TableVersions {
  readonly #prefix: string;
  readonly #redis: Redis;
  readonly #markMs: number;
  #batch: Batch | null = null;
  /** Since it last became ready something was not answered. */
  #lost = false;
  /** Counts connections: what was stored under versions of an earlier one does not count. */
  #connection = 0;

  /** @param prefix keeps installations that share a server apart */
  constructor(url: string, prefix: string, log: Log, markMs = MARK_MS) {
    this.#prefix = `${prefix}:cache`;
    this.#markMs = markMs;
    this.#redis = new Redis(url, {
      connectionName: this.#prefix,
      connectTimeout: ANSWER_WITHIN_MS,
      commandTimeout: ANSWER_WITHIN_MS,
      disconnectTimeout: HANG_UP_WITHIN_MS,
      // Nothing waits for a connection that is not there, and nothing is sent twice.
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      retryStrategy: (times) => Math.min(BACK_OFF_MS.first * 2 ** times, BACK_OFF_MS.most),
    });
    this.#redis.on('ready', () => {
      this.#connection += 1;
      this.#lost = false;
    });
    this.#redis.on('error', warnSparingly(log, 'the response cache lost Redis'));
  }

  get ready(): boolean {
    return this.#redis.status === 'ready' && !this.#lost;
  }

  async stamp(tables: readonly string[]): Promise<string | null> {
    if (!this.ready) return null;
    const connection = this.#connection;
    this.#batch ??= this.#open();
    for (const table of tables) this.#batch.tables.add(table);
    const found = await this.#batch.found;
    if (found === null || connection !== this.#connection) return null;
    const versions = tables.map((table) => found.versions.get(table) ?? '');
    return versions.includes('') ? null : `${connection} ${found.epoch} ${versions.join(' ')}`;
  }

  async mark(writer: string, tables: readonly string[]): Promise<boolean> {
    return (await this.#run(MARK, tables, [writer, String(this.#markMs)])) !== null;
  }

  async settle(writer: string, tables: readonly string[]): Promise<boolean> {
    return (await this.#run(SETTLE, tables, [writer])) !== null;
  }

  close(): void {
    this.#redis.disconnect();
  }

  /** All who ask in one turn of the event loop share one round trip, which begins after it. */
  #open(): Batch {
    const tables = new Set<string>();
    const turn = new Promise<void>((resolve) => setImmediate(resolve));
    const found = turn.then(async (): Promise<Found> => {
      this.#batch = null;
      const names = [...tables];
      const reply = await this.#run(READ, names, [randomUUID()]);
      if (!v.is(Texts, reply)) return null;
      const [epoch = '', ...versions] = reply;
      return {
        epoch,
        versions: new Map(names.map((name, index) => [name, versions[index] ?? ''])),
      };
    });
    return { tables, found };
  }

  /** Runs a script on tables; null when Redis did not answer, whether or not it ran. */
  async #run(script: string, tables: readonly string[], args: readonly string[]): Promise<unknown> {
    if (!this.ready) return null;
    const keys = [this.#prefix, ...tables.map((table) => `${this.#prefix}:writers:${table}`)];
    const fields = tables.map((table) => `table ${table}`);
    try {
      return await this.#redis.eval(script, keys.length, ...keys, ...args, ...fields);
    } catch {
      // One that is ready and yet does not answer may be half open: it is made anew.
      if (this.ready) this.#redis.disconnect(true);
      this.#lost = true;
      return null;
    }
  }
}
