/** Table versions in Redis, shared by all processes of a cluster. */
import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import type { Log } from '#core/base/log/log.ts';
import { OptionalRedis } from '#core/messaging/redis/optional-redis.ts';
import { MARK_SCRIPT, READ_SCRIPT, SETTLE_SCRIPT } from './redis-scripts.ts';
import { MARK_MS, type TableVersions } from './table-versions.ts';

/** Timeout for Redis (ms). */
const ANSWER_WITHIN_MS = 500;

const Texts = v.array(v.string());

/** Epoch and versions by table, at one point in time; null when they could not be read. */
type Found = { readonly epoch: string; readonly versions: ReadonlyMap<string, string> } | null;

/** Tables requested in one turn of the event loop. */
interface Batch {
  readonly tables: Set<string>;
  readonly found: Promise<Found>;
}

export class RedisTableVersions implements TableVersions {
  readonly #prefix: string;
  readonly #redis: OptionalRedis;
  readonly #markMs: number;
  #batch: Batch | null = null;

  /** @param prefix separates installations that share a server */
  constructor(url: string, prefix: string, log: Log, markMs = MARK_MS) {
    this.#prefix = `${prefix}:cache`;
    this.#markMs = markMs;
    this.#redis = new OptionalRedis(url, {
      name: this.#prefix,
      answerWithin: ANSWER_WITHIN_MS,
      complaint: 'the response cache lost Redis',
      log,
    });
  }

  get ready(): boolean {
    return this.#redis.ready;
  }

  async stamp(tables: readonly string[]): Promise<string | null> {
    if (!this.ready) return null;
    // Versions read on an earlier connection do not count.
    const { connection } = this.#redis;
    this.#batch ??= this.#open();
    for (const table of tables) this.#batch.tables.add(table);
    const found = await this.#batch.found;
    if (found === null || connection !== this.#redis.connection) return null;
    const versions = tables.map((table) => found.versions.get(table) ?? '');
    return versions.includes('') ? null : `${connection} ${found.epoch} ${versions.join(' ')}`;
  }

  async mark(writer: string, tables: readonly string[]): Promise<boolean> {
    return (await this.#run(MARK_SCRIPT, tables, [writer, String(this.#markMs)])) !== null;
  }

  async settle(writer: string, tables: readonly string[]): Promise<boolean> {
    return (await this.#run(SETTLE_SCRIPT, tables, [writer])) !== null;
  }

  close(): void {
    this.#redis.close();
  }

  /** All requests of one turn of the event loop share one round trip, which starts after it. */
  #open(): Batch {
    const tables = new Set<string>();
    const turn = new Promise<void>((resolve) => setImmediate(resolve));
    const found = turn.then(async (): Promise<Found> => {
      this.#batch = null;
      const names = [...tables];
      const reply = await this.#run(READ_SCRIPT, names, [randomUUID()]);
      if (!v.is(Texts, reply)) return null;
      const [epoch = '', ...versions] = reply;
      return {
        epoch,
        versions: new Map(names.map((name, index) => [name, versions[index] ?? ''])),
      };
    });
    return { tables, found };
  }

  /** Runs a script on tables; null when Redis did not answer, whether or not the script ran. */
  async #run(script: string, tables: readonly string[], args: readonly string[]): Promise<unknown> {
    if (!this.ready) return null;
    const keys = [this.#prefix, ...tables.map((table) => `${this.#prefix}:writers:${table}`)];
    const fields = tables.map((table) => `table ${table}`);
    try {
      return await this.#redis.client.eval(script, keys.length, ...keys, ...args, ...fields);
    } catch {
      this.#redis.miss();
      return null;
    }
  }
}
