/** Reads written and deleted items for subscribers, with the permissions of each subscriber. */
import { hash } from 'node:crypto';
import type { Caller } from '#core/access/grants.ts';
import { reason } from '#core/base/errors/reason.ts';
import { refusal } from '#core/base/errors/refusal.ts';
import { forbidden } from '#core/base/errors/service-error.ts';
import { bareType } from '#core/database/column-type.ts';
import type { Reader } from '#core/database/reader.ts';
import { type Sql, sql } from '#core/database/sql.ts';
import type { Collection } from '#core/model/catalog/catalog.ts';
import type { Key } from '#core/query/key.ts';
import type { Query } from '#core/query/query.ts';
import {
  bindParameters,
  fillPlaceholders,
  StatementParameter,
} from '#core/read/plan/placeholder.ts';
import {
  type Compiled,
  compileFoundRows,
  type RowsFoundAtRuntime,
} from '#core/read/sql/compile.ts';
import { RECORD_SEPARATOR } from '#core/read/sql/statement.ts';
import { StatementCache, type UnparsedQuery } from '#core/read/statement-cache.ts';
import {
  type ContextOptions,
  ContextSource,
  type ItemContext,
  servesItems,
} from '#core/services/request-context.ts';
import { deletedRowsSql } from '#core/write/changes/deleted-items.ts';
import { keyOfItem } from '#core/write/history/history.ts';
import { type KeyedItem, keyedItem, keyedQuery } from './keyed-query.ts';
import type { Subscriber } from './subscriber.ts';

export interface LiveItemReaderParts extends ContextOptions {
  readonly reader: Pick<Reader, 'text'>;
  /** The schema of the system tables. */
  readonly schema: string;
}

/**
 * The context of a subscriber's reads, valid while caller, permissions and catalog are unchanged.
 */
export interface SubscriberContext {
  readonly caller: Caller;
  readonly catalog: ItemContext['catalog'];
  readonly grants: ItemContext['grants'];
  /** Equal for subscribers that get the same results. */
  readonly name: string;
}

/** Keys of items to read. */
export interface RequestedItems {
  readonly written: readonly string[];
  readonly deleted: readonly string[];
}

/** The items that were found, by key. */
export interface FoundItems {
  readonly existing: ReadonlyMap<string, KeyedItem>;
  readonly deleted: ReadonlyMap<string, KeyedItem>;
}

/** A constant time for the names of queries that depend on the current time. */
const ANY_TIME = new Date(0);

export class LiveItemReader {
  readonly #parts: LiveItemReaderParts;
  readonly #contexts: ContextSource;
  readonly #statements = new StatementCache<null>();

  constructor(parts: LiveItemReaderParts) {
    this.#parts = parts;
    this.#contexts = new ContextSource(parts);
  }

  /**
   * The current context of a subscriber; the same object while it is unchanged.
   * @param known the previous context
   * @throws ServiceError FORBIDDEN, INVALID_QUERY as for a read of the same query;
   *   SERVICE_UNAVAILABLE
   */
  async contextOf(
    subscriber: Subscriber,
    known: SubscriberContext | null,
  ): Promise<SubscriberContext> {
    const { collection, question } = subscriber;
    const caller = await subscriber.caller();
    return await this.#contexts.with({ caller, collection }, async (context) => {
      const { catalog, grants } = context;
      const isSame =
        known?.caller === caller && known.catalog === catalog && known.grants === grants;
      if (isSame) return known;
      const { text, values, placeholders: slots } = this.#statement(context, question);
      const facts = slots === null ? values : fillPlaceholders(slots, { caller, now: ANY_TIME });
      const name = hash('sha256', `${text}\n${JSON.stringify(facts)}`, 'base64');
      return { caller, catalog, grants, name };
    });
  }

  /**
   * Reads the items that are visible to a subscriber.
   * @returns null when the catalog has changed
   */
  async find(
    collection: string,
    question: UnparsedQuery,
    subscriberContext: SubscriberContext,
    { written, deleted }: RequestedItems,
  ): Promise<FoundItems | null> {
    const { caller, catalog, grants } = subscriberContext;
    return await this.#contexts.with({ caller, collection }, async (current) => {
      if (current.catalog !== catalog) return null;
      const context = { ...current, grants };
      const existing = await this.#read(context, written, () =>
        this.#statement(context, question, written),
      );
      const gone = await this.#read(context, deleted, () =>
        this.#deletedStatement(context, question),
      );
      return { existing, deleted: gone };
    });
  }

  /** The items that a statement finds for some keys, by key. */
  async #read(
    { catalog, collection }: ItemContext,
    keys: readonly string[],
    statement: () => Compiled,
  ): Promise<ReadonlyMap<string, KeyedItem>> {
    const found = new Map<string, KeyedItem>();
    const of = catalog.collections.get(collection);
    if (keys.length === 0 || of === undefined) return found;
    const text = await this.#parts.reader.text(bindParameters(statement(), [keys]));
    for (const record of text === null ? [] : text.split(RECORD_SEPARATOR)) {
      const item = keyedItem(of, record);
      if (item !== null) found.set(item.key, item);
    }
    return found;
  }

  /** The statement that reads items by key. The keys are a parameter unless they are composite. */
  #statement(
    context: ItemContext,
    question: UnparsedQuery,
    keys: readonly string[] = [],
  ): Compiled {
    const collection = served(context);
    const [field, ...others] = collection.primaryKey;
    if (field === undefined) throw noKey(collection);
    if (others.length > 0) {
      const chosen = keys.map((key): Key => keyOfItem(collection, key));
      const query = keyedQuery(collection, question.query());
      return compileFoundRows(context, query, { rows: { kind: 'keys', keys: chosen } });
    }
    const type = bareType(field.column);
    const holds = (column: Sql) =>
      sql`${column} = ANY(ARRAY(SELECT k::${type} FROM unnest(${new StatementParameter(0)}::text[]) AS k))`;
    return this.#compiled(context, question, 'live', { rows: { kind: 'kept', field, holds } });
  }

  /** The statement that reads deleted items, whose keys are a parameter. */
  #deletedStatement(context: ItemContext, question: UnparsedQuery): Compiled {
    const items = sql`${new StatementParameter(0)}::text[]`;
    const source = deletedRowsSql(this.#parts.schema, served(context), items);
    return this.#compiled(context, question, 'deleted', { source });
  }

  #compiled(
    context: ItemContext,
    question: UnparsedQuery,
    form: 'live' | 'deleted',
    found: RowsFoundAtRuntime,
  ): Compiled {
    const { catalog, grants, caller } = context;
    const collection = served(context);
    const place = `${form} ${collection.name}`;
    const compile = (query: Query) => ({
      kind: null,
      statement: compileFoundRows(context, keyedQuery(collection, query), found),
    });
    return this.#statements.get(catalog, grants, { place, question, caller }, compile).statement;
  }
}

function served({ catalog, grants, collection: name }: ItemContext): Collection {
  const collection = catalog.collections.get(name);
  if (!collection || !servesItems(collection) || grants.of(name) === null)
    throw refusal({ collection: name });
  return collection;
}

function noKey({ name }: Collection): Error {
  return forbidden(reason('live_collection_without_key', { name }));
}
