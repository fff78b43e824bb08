/** Reads items. PostgreSQL makes the JSON text; only the envelope is added to it. */
import { quotaKeyOf } from '#core/access/quota-key.ts';
import { refusal } from '#core/base/errors/refusal.ts';
import { forbidden } from '#core/base/errors/service-error.ts';
import type { Pool } from '#core/database/pool.ts';
import type { PoolShares } from '#core/database/pool-shares.ts';
import type { Reader } from '#core/database/reader.ts';
import type { Statement } from '#core/database/sql.ts';
import type { Collection } from '#core/model/catalog/catalog.ts';
import { keyOfPath, keysOfBody } from '#core/query/key.ts';
import { PAGE_LIMIT } from '#core/query/limits.ts';
import type { ItemColumn, Query } from '#core/query/query.ts';
import { bindParameters } from '#core/read/plan/placeholder.ts';
import {
  type Compiled,
  compileItemByParameter,
  compileItems,
  compilePage,
  compileSingleton,
  compileStream,
} from '#core/read/sql/compile.ts';
import {
  type CachedStatement,
  StatementCache,
  type UnparsedQuery,
} from '#core/read/statement-cache.ts';
import type { CachedText, ResponseCache } from '#core/write/cache/response-cache.ts';
import {
  type EncodedText,
  type Envelope,
  itemData,
  listData,
  NO_ENVELOPE,
  type ReadData,
} from './envelope.ts';
import { PageReader, PageTooLongError, type RowStatement } from './page-reader.ts';
import {
  type CollectionFilter,
  type ContextOptions,
  ContextSource,
  type ItemContext,
  type RequestTarget,
} from './request-context.ts';
import { defaultsText } from './singleton.ts';

/** An answer as one text, or as its bytes, which stay the same object while they are cached. */
export interface TextAnswer extends CachedText {
  readonly kind: 'text';
  /** Releases its memory after it is sent; may be absent. */
  readonly release?: () => void;
}

/** A complete answer, or the JSON texts of its items, one by one. */
export type ReadAnswer =
  | TextAnswer
  | {
      readonly kind: 'stream';
      readonly items: AsyncIterable<readonly string[]>;
      /** The text of `meta`; null when it was not requested. */
      readonly meta: string | null;
    };

/** What a statement reads: one item, or a list as one page or as a stream. */
type ReadKind = 'page' | 'stream' | 'stream with meta' | 'item';

type StreamAnswer = Extract<ReadAnswer, { kind: 'stream' }>;

/** Items one by one. */
export interface ItemStream {
  readonly items: AsyncIterable<readonly string[]>;
  /** The plain values in an item, in order. */
  readonly columns: readonly ItemColumn[];
}

export interface ItemReaderOptions extends ContextOptions {
  readonly reader: Reader;
  readonly pool: Pool;
  readonly shares: PoolShares;
  /** The collections that this service is responsible for. */
  readonly serves: CollectionFilter;
  /** The response cache; null without one. */
  readonly responses: ResponseCache | null;
}

/**
 * The options of a read: whether the cache may answer, the signal that stops it, and the envelope.
 */
interface Manner {
  readonly envelope: Envelope;
  readonly fresh: boolean;
  readonly signal: AbortSignal | undefined;
}

/** A statement with the collections that it reads. */
interface ReadRequest {
  readonly statement: Statement;
  readonly reads: ReadonlySet<string> | null;
  readonly dataOf: (text: EncodedText) => ReadData;
  /** Runs it; by default it returns one text. */
  readonly read?: (signal: AbortSignal | undefined) => Promise<EncodedText | null>;
}

export class ItemReader {
  protected readonly contexts: ContextSource;
  readonly #options: ItemReaderOptions;
  readonly #pages: PageReader;
  protected readonly statements = new StatementCache<ReadKind>();

  constructor(options: ItemReaderOptions) {
    this.#options = options;
    this.contexts = new ContextSource(options);
    this.#pages = new PageReader(options.reader);
  }

  /**
   * Reads items; of a singleton its item, or its defaults. A large or unbounded answer is a stream.
   * @throws ServiceError FORBIDDEN, INVALID_QUERY, SERVICE_UNAVAILABLE
   */
  list(target: RequestTarget, question: UnparsedQuery, signal?: AbortSignal): Promise<ReadAnswer> {
    const { reader } = this.#options;
    return this.contexts.with(target, async (context) => {
      const collection = this.readable(context);
      const manner = mannerOf(target, signal);
      if (collection.singleton) return this.#singleton(context, collection, question, manner);
      const { kind, statement } = await this.#listStatement(context, collection, question);
      const holder = quotaKeyOf(target.caller);
      const stream = (rows: RowStatement) =>
        startStream(reader.stream(rows.statement, holder, signal), rows.withMeta);
      if (kind !== 'page') return stream({ statement, withMeta: kind === 'stream with meta' });
      const rows = () => this.#rowsOf(context, collection, question);
      const read = (gone: AbortSignal | undefined) =>
        this.#pages.text(statement, rows, holder, gone);
      const request = { statement, reads: statement.reads, dataOf: listData, read };
      try {
        return (await this.#text(context, request, manner)) ?? textAnswer('');
      } catch (error) {
        if (error instanceof PageTooLongError) return stream(rows());
        throw error;
      }
    });
  }

  /**
   * Checks, before the query is parsed, whether the caller may read the collection at all.
   * @throws ServiceError FORBIDDEN
   */
  async admitReader(target: RequestTarget): Promise<void> {
    this.readable(await this.contexts.of(target));
  }

  /**
   * The maximum cost of a query, in items that it may touch; its statement is cached for the read.
   * @throws ServiceError as {@link list}
   */
  async cost(
    target: RequestTarget,
    question: UnparsedQuery,
    form: 'list' | 'item',
  ): Promise<number> {
    const context = await this.contexts.of(target);
    const collection = this.readable(context);
    if (form === 'item') {
      return (await this.#itemStatement(context, collection, question, target)).cost;
    }
    if (collection.singleton) {
      return (await this.#singletonStatement(context, collection, question)).cost;
    }
    return (await this.#listStatement(context, collection, question)).statement.cost;
  }

  #listStatement(
    context: ItemContext,
    { name }: Collection,
    question: UnparsedQuery,
  ): Promise<CachedStatement<ReadKind>> {
    const { catalog, grants, caller } = context;
    const place = { place: `list ${name}`, question, caller };
    return this.statements.getQueued(catalog, grants, place, (query) =>
      isPage(query)
        ? { kind: 'page', statement: compilePage(context, query) }
        : {
            kind: query.meta.length > 0 ? 'stream with meta' : 'stream',
            statement: compileStream(context, query),
          },
    );
  }

  async #itemStatement(
    context: ItemContext,
    { name }: Collection,
    question: UnparsedQuery,
    { ownKey, form = 'page' }: { readonly ownKey?: boolean; readonly form?: 'page' | 'whole' },
  ): Promise<Compiled> {
    const byKey = ownKey !== true;
    const { catalog, grants, caller } = context;
    const item = `${byKey ? 'item' : 'own item'} ${name}`;
    const place = { place: form === 'page' ? item : `large ${item}`, question, caller };
    const { statement } = await this.statements.getQueued(catalog, grants, place, (query) => ({
      kind: 'item',
      statement: compileItemByParameter(context, query, byKey, form),
    }));
    return statement;
  }

  async #singletonStatement(
    context: ItemContext,
    { name }: Collection,
    question: UnparsedQuery,
  ): Promise<Compiled> {
    const { catalog, grants, caller } = context;
    const place = { place: `singleton ${name}`, question, caller };
    const { statement } = await this.statements.getQueued(catalog, grants, place, (query) => ({
      kind: 'item',
      statement: compileSingleton(context, query),
    }));
    return statement;
  }

  /** The statement that reads a page row by row. */
  #rowsOf(context: ItemContext, { name }: Collection, question: UnparsedQuery): RowStatement {
    const { catalog, grants, caller } = context;
    const place = { place: `rows ${name}`, question, caller };
    const { kind, statement } = this.statements.get(catalog, grants, place, (query) => ({
      kind: query.meta.length > 0 ? 'stream with meta' : 'stream',
      statement: compileStream(context, query),
    }));
    return { statement, withMeta: kind === 'stream with meta' };
  }

  /**
   * Reads items one by one, even when there are few, with the paths of their plain values.
   * @throws ServiceError as {@link list}
   */
  stream(target: RequestTarget, query: Query, signal?: AbortSignal): Promise<ItemStream> {
    return this.contexts.with(target, async (context) => {
      this.readable(context);
      const statement = compileStream(context, query);
      const rows = this.#options.reader.stream(statement, quotaKeyOf(target.caller), signal);
      const { items } = await startStream(rows, false);
      return { items, columns: statement.columns };
    });
  }

  /** Reads the items of some keys that also match the query. */
  some(
    target: RequestTarget,
    keys: readonly unknown[],
    query: Query,
    signal?: AbortSignal,
  ): Promise<TextAnswer> {
    return this.contexts.with(target, async (context) => {
      const collection = this.readable(context);
      const found = await keysOfBody(collection, keys);
      const statement = compileItems(context, query, found, true);
      const request = { statement, reads: statement.reads, dataOf: listData };
      return (await this.#text(context, request, mannerOf(target, signal))) ?? textAnswer('');
    });
  }

  /**
   * Reads one item.
   * @param segment the key as in the path
   */
  one(
    target: RequestTarget,
    segment: string,
    question: UnparsedQuery,
    signal?: AbortSignal,
  ): Promise<TextAnswer> {
    return this.contexts.with(target, async (context) => {
      const collection = this.readable(context);
      const key = keyOfPath(collection, segment);
      const { ownKey = false } = target;
      const compile = (form: 'page' | 'whole') =>
        this.#itemStatement(context, collection, question, { ownKey, form });
      const statement = await compile('page');
      const given = bindParameters(statement, key);
      const whole = async () => bindParameters(await compile('whole'), key);
      const read = (gone: AbortSignal | undefined) =>
        this.#pages.item(given, whole, quotaKeyOf(target.caller), gone);
      const request = { statement: given, reads: statement.reads, dataOf: itemData, read };
      const answer = await this.#text(context, request, mannerOf(target, signal));
      if (answer === null) throw forbidden();
      return answer;
    });
  }

  /**
   * Whether a collection is a singleton.
   * @throws ServiceError FORBIDDEN when this service is not responsible for it, or the caller has
   * no permission on it
   */
  async isSingleton(target: RequestTarget): Promise<boolean> {
    const context = await this.contexts.of(target);
    const collection = this.served(context);
    if (!collection.singleton) return false;
    const { rights } = context;
    const actions = ['read', 'create', 'update'] as const;
    if (actions.some((action) => rights.of(collection.name, action).length > 0)) return true;
    throw refusal({ collection: context.collection });
  }

  /** The collection, if this service is responsible for it. */
  protected served(context: ItemContext): Collection {
    const collection = context.catalog.collections.get(context.collection);
    if (!collection || !this.#options.serves(collection))
      throw refusal({ collection: context.collection });
    return collection;
  }

  /** The collection, if the caller may read any of it. */
  protected readable(context: ItemContext): Collection {
    const collection = this.served(context);
    if (context.grants.of(context.collection) === null)
      throw refusal({ collection: context.collection });
    return collection;
  }

  async #singleton(
    context: ItemContext,
    collection: Collection,
    question: UnparsedQuery,
    manner: Manner,
  ): Promise<ReadAnswer> {
    const statement = await this.#singletonStatement(context, collection, question);
    const request = { statement, reads: statement.reads, dataOf: itemData };
    const found = await this.#text(context, request, manner);
    if (found !== null) return found;
    const defaults = defaultsText(context, collection, question.query());
    const text =
      (await this.#options.reader.text(defaults, manner.signal, quotaKeyOf(context.caller))) ?? '';
    return textAnswer(manner.envelope.around(itemData(text)));
  }

  /** The answer of a statement, from the cache or from PostgreSQL; null: no row. */
  async #text(
    { catalog, caller }: ItemContext,
    { statement, reads, dataOf, read: run }: ReadRequest,
    { fresh, signal, envelope }: Manner,
  ): Promise<TextAnswer | null> {
    const { reader, responses } = this.#options;
    const ask = async (gone: AbortSignal | undefined) => {
      const text = await (run ? run(gone) : reader.value(statement, gone, quotaKeyOf(caller)));
      return text === null ? null : envelope.around(dataOf(text));
    };
    if (responses === null || fresh) {
      const text = await ask(signal);
      return text === null ? null : textAnswer(text);
    }
    const read = { catalog, caller, statement, reads, form: envelope.name };
    const found = await responses.text(read, async (gone) => kept(await ask(gone)), signal);
    return found && { kind: 'text', ...found };
  }
}

function mannerOf(
  { fresh = false, envelope = NO_ENVELOPE }: RequestTarget,
  signal: AbortSignal | undefined,
): Manner {
  return { fresh, signal, envelope };
}

function textAnswer(text: EncodedText): TextAnswer {
  if (typeof text === 'string') return { kind: 'text', text, hit: false };
  return { kind: 'text', text: text.bytes, hit: false, release: () => text.release() };
}

/** A copy of a text that several callers share, and that is never released. */
function kept(text: EncodedText | null): string | Buffer | null {
  if (text === null || typeof text === 'string') return text;
  const bytes = Buffer.from(text.bytes);
  text.release();
  return bytes;
}

function isPage(query: Query): boolean {
  return query.limit !== null && query.limit <= PAGE_LIMIT;
}

/** Reads the first rows before the response begins, so that a failure still has a status. */
async function startStream(
  rows: AsyncGenerator<string[]>,
  withMeta: boolean,
): Promise<StreamAnswer> {
  const first = await rows.next();
  const batch = first.done ? [] : first.value;
  const meta = withMeta ? (batch.shift() ?? null) : null;
  const items = (async function* () {
    try {
      yield batch;
      yield* rows;
    } finally {
      // A generator that has not begun would hold its connection.
      await rows.return(undefined);
    }
  })();
  return { kind: 'stream', items, meta };
}
