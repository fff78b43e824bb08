/** Queries whole schemas in a separate thread, which ends when it is idle. */

import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import * as v from 'valibot';
import { ACTIONS, type PermissionRow, type Rights } from '#core/access/rights.ts';
import { reason } from '#core/base/errors/reason.ts';
import { unavailable } from '#core/base/errors/service-error.ts';
import type { Log } from '#core/base/log/log.ts';
import { oncePerPair } from '#core/base/once-per.ts';
import type { HealthChecks } from '#core/base/process/health-check.ts';
import type { Catalog, Collection } from '#core/model/catalog/catalog.ts';
import type { Scope } from './schema.ts';

/** Some collections of a catalog, in transferable form, with the relations that start from them. */
export interface CatalogPart {
  /** Identifies the catalog and the permissions. */
  readonly number: number;
  readonly collections: Catalog['collections'];
  readonly relations: Catalog['relations'];
}

/** The inputs of a schema besides the collections, which are sent before in parts. */
export interface SchemaSource {
  readonly version: number;
  /** Null for administrators. */
  readonly permissions: readonly PermissionRow[] | null;
}

/** A query of a schema. */
export type IntrospectionQuery =
  | { readonly kind: 'text' }
  | {
      readonly kind: 'query';
      /** A valid document with one operation, which selects only the schema. */
      readonly query: string;
      readonly variables: Readonly<Record<string, unknown>> | null;
    };

export interface IntrospectionTask {
  readonly id: number;
  /** Identifies the catalog and the permissions. */
  readonly number: number;
  readonly scope: Scope;
  /** Null when the thread may have it cached. */
  readonly source: SchemaSource | null;
  readonly ask: IntrospectionQuery;
}

const reply = v.union([
  v.object({ id: v.number(), texts: v.map(v.string(), v.string()) }),
  v.object({ id: v.number(), fault: v.string() }),
  v.object({ id: v.number(), unknown: v.literal(true) }),
]);
type Reply = v.InferOutput<typeof reply>;

/** Maximum number of waiting queries. */
const MOST_WAITING = 50;
/** Collections per message, because copying a large catalog at once would block the event loop. */
const PART = 20;
/** Maximum characters of cached results, because the same queries are repeated. */
const KEPT_CHARACTERS = 33_554_432;
/** Timeout (ms) of a query; afterwards the thread is terminated. */
const ANSWER_WITHIN_MS = 20_000;
/** Idle time (ms) after which the thread ends. */
const IDLE_MS = 60_000;
/** Maximum number of schemas whose failures the health checks report. */
const MOST_FAILED = 10;
const THREAD_MEGABYTES = 1_024;

type Told = readonly [
  number: number,
  catalog: Catalog,
  rights: Rights,
  question: Pick<IntrospectionTask, 'scope' | 'ask'>,
];

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

/** A collection without its conversion functions, which cannot be transferred. */
function withoutCode(collection: Collection): Collection {
  const fields = new Map(
    [...collection.fields].map(([name, field]) => [name, { ...field, codec: null }] as const),
  );
  const primaryKey = collection.primaryKey.map((field) => ({ ...field, codec: null }));
  return { ...collection, fields, primaryKey };
}

/** The entries of a map under some names. */
function partOf<T>(
  all: ReadonlyMap<string, T>,
  names: readonly string[],
  as: (value: T) => T,
): ReadonlyMap<string, T> {
  const found = new Map<string, T>();
  for (const name of names) {
    const value = all.get(name);
    if (value !== undefined) found.set(name, as(value));
  }
  return found;
}

export class Introspection {
  readonly #numberOf = oncePerPair((_: Catalog, __: Rights) => {
    this.#count += 1;
    return this.#count;
  });
  readonly #waiting = new Map<number, Waiting>();
  readonly #kept = new LRUCache<string, ReadonlyMap<string, string>>({
    maxSize: KEPT_CHARACTERS,
    sizeCalculation: (texts, key) =>
      [...texts.values()].reduce((sum, text) => sum + text.length, key.length + 1),
  });
  /** The failure of the last query for a schema, by permissions and scope. */
  readonly #failed = new LRUCache<string, { readonly catalog: Catalog; readonly fault: string }>({
    max: MOST_FAILED,
  });
  readonly #log: Log;
  #count = 0;
  #asking = 0;
  #thread: Worker | null = null;
  #telling: Promise<unknown> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  /**
   * Queries the schema of a caller.
   * @returns the JSON texts of the root fields by their keys, or the schema under `text`
   * @throws ServiceError SERVICE_UNAVAILABLE when too many queries are pending
   */
  async ask(
    { catalog, rights }: { readonly catalog: Catalog; readonly rights: Rights },
    scope: Scope,
    ask: IntrospectionQuery,
  ): Promise<ReadonlyMap<string, string>> {
    const number = this.#numberOf(catalog, rights);
    const key = `${number} ${scope} ${JSON.stringify(ask)}`;
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept;
    if (this.#asking >= MOST_WAITING) {
      throw unavailable('introspection', reason('too_many_schema_readers'));
    }
    this.#asking += 1;
    try {
      const texts = await this.#answer(number, catalog, rights, { scope, ask });
      this.#kept.set(key, texts);
      this.#failed.delete(`${number} ${scope}`);
      return texts;
    } catch (error) {
      const fault = error instanceof Error ? error.message : String(error);
      this.#failed.set(`${number} ${scope}`, { catalog, fault });
      this.#log.error({ err: error, scope }, 'could not print the GraphQL schema');
      throw unavailable('introspection', reason('schema_not_describable'), { cause: error });
    } finally {
      this.#asking -= 1;
    }
  }

  /** Health checks for schemas of the current catalog whose query failed. */
  checks(current: Catalog): HealthChecks {
    const faults = [...this.#failed.values()]
      .filter(({ catalog }) => catalog === current)
      .map(({ fault }) => fault);
    const checks = [...new Set(faults)].map((fault) => {
      const output = `The schema of GraphQL cannot be told: ${fault}`;
      return { status: 'warn', componentType: 'component', output } as const;
    });
    return checks.length === 0 ? {} : { 'graphql:schema': checks };
  }

  async #answer(
    ...[number, catalog, rights, question]: Told
  ): Promise<ReadonlyMap<string, string>> {
    const first = await this.#send({ number, ...question, source: null });
    const known = 'unknown' in first ? await this.#tell(number, catalog, rights, question) : first;
    if ('texts' in known) return known.texts;
    throw new Error('fault' in known ? known.fault : 'The catalog was pushed out by others.');
  }

  /** Ends the thread. */
  close(): void {
    clearTimeout(this.#idle);
    this.#giveUp(new Error('the process ends'));
  }

  /** Serialized, so that the same catalog is not sent twice. */
  async #tell(...[number, catalog, rights, question]: Told): Promise<Reply> {
    const told = this.#telling.then(async () => {
      const known = await this.#send({ number, ...question, source: null });
      return 'unknown' in known ? await this.#tellNow(number, catalog, rights, question) : known;
    });
    this.#telling = told.catch(() => undefined);
    return await told;
  }

  /** Sends a catalog in parts, between which other requests run, and then the query. */
  async #tellNow(...[number, catalog, rights, question]: Told): Promise<Reply> {
    const { version, collections, relations } = catalog;
    const thread = this.#open();
    const names = [...collections.keys()];
    for (let from = 0; from === 0 || from < names.length; from += PART) {
      const part = names.slice(from, from + PART);
      const message: CatalogPart = {
        number,
        collections: partOf(collections, part, withoutCode),
        relations: partOf(relations, part, (own) => own),
      };
      thread.postMessage(message);
      await setImmediate();
    }
    const source = { version, permissions: permissionsOf(rights) };
    return await this.#send({ number, ...question, source });
  }

  async #send(task: Omit<IntrospectionTask, 'id'>): Promise<Reply> {
    const thread = this.#open();
    this.#count += 1;
    const id = this.#count;
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    this.#waiting.set(id, { resolve, reject });
    const late = () => this.#giveUp(new Error(`No answer within ${ANSWER_WITHIN_MS} ms.`));
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
    thread.on('error', (error) => gone(error instanceof Error ? error : new Error(String(error))));
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
