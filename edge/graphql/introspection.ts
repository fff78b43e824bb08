/** Asks whole schemas in a thread of its own, which ends when nobody has asked for a while. */
import { Worker } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import * as v from 'valibot';
import { ACTIONS, type PermissionRow, type Rights } from '#core/access/rights.ts';
import type { Catalog, Collection } from '#core/catalog/catalog.ts';
import { unavailable } from '#core/errors/service-error.ts';
import type { Scope } from './schema.ts';

/** What a schema is made of, as it travels. */
export interface SchemaSource {
  readonly catalog: Catalog;
  /** Null for administrators. */
  readonly permissions: readonly PermissionRow[] | null;
}

/** What is asked of a schema. */
export type SchemaQuestion =
  | { readonly kind: 'text' }
  | {
      readonly kind: 'query';
      /** A valid document with one operation, which asks for nothing but the schema. */
      readonly query: string;
      readonly variables: Readonly<Record<string, unknown>> | null;
    };

export interface IntrospectionTask {
  readonly id: number;
  /** Of the catalog and the rights. */
  readonly number: number;
  readonly scope: Scope;
  /** Null where the thread may know it. */
  readonly source: SchemaSource | null;
  readonly ask: SchemaQuestion;
}

const reply = v.union([
  v.object({ id: v.number(), texts: v.map(v.string(), v.string()) }),
  v.object({ id: v.number(), fault: v.string() }),
  v.object({ id: v.number(), unknown: v.literal(true) }),
]);
type Reply = v.InferOutput<typeof reply>;

/** Questions that may wait. */
const MOST_WAITING = 50;
/** Characters of answers that are kept, because the same question comes again and again. */
const KEPT_CHARACTERS = 33_554_432;
/** Longest time (ms) of a question; then the thread is given up. */
const ANSWER_WITHIN_MS = 20_000;
/** The thread ends when nobody has asked for so long (ms). */
const IDLE_MS = 60_000;
const THREAD_MEGABYTES = 1_024;

interface Waiting {
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: Error) => void;
}

function permissionsOf(rights: Rights): readonly PermissionRow[] | null {
  if (rights.admin) return null;
  return [...rights.collections].flatMap((collection) =>
    ACTIONS.flatMap((action) =>
      rights.of(collection, action).map((permission) => ({ ...permission, collection, action })),
    ),
  );
}

/** A collection without the functions that convert what it stores: they cannot travel. */
function withoutCode(collection: Collection): Collection {
  const fields = new Map(
    [...collection.fields].map(([name, field]) => [name, { ...field, stored: null }] as const),
  );
  const primaryKey = collection.primaryKey.map((field) => ({ ...field, stored: null }));
  return { ...collection, fields, primaryKey };
}

export class Introspection {
  readonly #numbers = new WeakMap<Catalog, WeakMap<Rights, number>>();
  readonly #waiting = new Map<number, Waiting>();
  readonly #kept = new LRUCache<string, ReadonlyMap<string, string>>({
    maxSize: KEPT_CHARACTERS,
    sizeCalculation: (texts, key) =>
      [...texts.values()].reduce((sum, text) => sum + text.length, key.length + 1),
  });
  #count = 0;
  #thread: Worker | null = null;
  #idle: NodeJS.Timeout | undefined;

  /**
   * Asks the schema that holds for a caller.
   * @returns the JSON texts of the fields of the root by their keys, or the schema under `text`
   * @throws ServiceError SERVICE_UNAVAILABLE when too many ask at the same time
   */
  async ask(
    { catalog, rights }: { readonly catalog: Catalog; readonly rights: Rights },
    scope: Scope,
    ask: SchemaQuestion,
  ): Promise<ReadonlyMap<string, string>> {
    if (this.#waiting.size >= MOST_WAITING) {
      throw unavailable('introspection', 'Too many clients ask for the schema at the same time.');
    }
    const number = this.#numberOf(catalog, rights);
    const key = `${number} ${scope} ${JSON.stringify(ask)}`;
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept;
    const first = await this.#send({ number, scope, source: null, ask });
    const known =
      'unknown' in first
        ? await this.#send({ number, scope, ask, source: this.#sourceOf(catalog, rights) })
        : first;
    if ('texts' in known) {
      this.#kept.set(key, known.texts);
      return known.texts;
    }
    throw unavailable('introspection', 'The schema cannot be told now.', {
      cause: 'fault' in known ? known.fault : known,
    });
  }

  /** Ends the thread. */
  close(): void {
    clearTimeout(this.#idle);
    this.#giveUp(new Error('the process ends'));
  }

  #numberOf(catalog: Catalog, rights: Rights): number {
    const byRights = this.#numbers.get(catalog) ?? new WeakMap<Rights, number>();
    this.#numbers.set(catalog, byRights);
    const known = byRights.get(rights);
    if (known !== undefined) return known;
    this.#count += 1;
    byRights.set(rights, this.#count);
    return this.#count;
  }

  #sourceOf({ version, collections, relations }: Catalog, rights: Rights): SchemaSource {
    const travelling = [...collections].map(([name, one]) => [name, withoutCode(one)] as const);
    const catalog = { version, collections: new Map(travelling), relations };
    const complete = { ...catalog, leftOut: [], warnings: [] };
    return { catalog: complete, permissions: permissionsOf(rights) };
  }

  async #send(task: Omit<IntrospectionTask, 'id'>): Promise<Reply> {
    const thread = this.#open();
    this.#count += 1;
    const id = this.#count;
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    this.#waiting.set(id, { resolve, reject });
    const late = () => this.#giveUp(unavailable('introspection', 'The schema takes too long.'));
    const timer = setTimeout(late, ANSWER_WITHIN_MS);
    try {
      thread.postMessage({ ...task, id });
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(id);
      if (this.#waiting.size === 0) this.#idle = setTimeout(() => this.#end(), IDLE_MS).unref();
    }
  }

  #open(): Worker {
    clearTimeout(this.#idle);
    if (this.#thread !== null) return this.#thread;
    const thread = new Worker(new URL('./introspection-thread.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: THREAD_MEGABYTES },
    });
    thread.unref();
    thread.on('message', (message: unknown) => {
      const answer = v.parse(reply, message);
      this.#waiting.get(answer.id)?.resolve(answer);
    });
    const gone = (error: Error) => {
      if (this.#thread === thread) this.#giveUp(error);
    };
    thread.on('error', (error) =>
      gone(unavailable('introspection', 'The schema cannot be told now.', { cause: error })),
    );
    this.#thread = thread;
    return thread;
  }

  #end(): void {
    const thread = this.#thread;
    this.#thread = null;
    thread?.terminate().catch(() => undefined);
  }

  #giveUp(error: Error): void {
    this.#end();
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
