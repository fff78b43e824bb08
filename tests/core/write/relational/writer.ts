/** Writes payloads into a database of the test's own, as a service would, and counts statements. */
import { pino } from 'pino';
import type { Caller } from '#core/access/grants.ts';
import { ANONYMOUS } from '#core/access/grants.ts';
import { FULL_RIGHTS, type Rights } from '#core/access/rights.ts';
import { loadConfig } from '#core/base/config/config.ts';
import { createPool, transaction, withConnection } from '#core/database/pool.ts';
import { runTogether } from '#core/database/prepared.ts';
import { render } from '#core/database/sql.ts';
import { buildCatalog } from '#core/model/catalog/build-catalog.ts';
import { buildDescriptors } from '#core/model/catalog/build-descriptors.ts';
import { introspect } from '#core/model/catalog/introspect.ts';
import { migrate } from '#core/model/system/migrate.ts';
import type { Key } from '#core/query/key.ts';
import { bindParameters } from '#core/read/plan/placeholder.ts';
import { deleteItems } from '#core/write/delete.ts';
import { History, NO_VISITOR } from '#core/write/history/history.ts';
import { type InputItem, writeItems } from '#core/write/relational/write-items.ts';
import { prepareNewTree } from '#core/write/single-round-trip/new-item-tree.ts';
import { newItemsValues } from '#core/write/single-round-trip/new-items.ts';
import { newItemsSql } from '#core/write/single-round-trip/new-items-sql.ts';
import { prepareNewItems } from '#core/write/single-round-trip/prepare-new-items.ts';
import { parseKeys } from '#core/write/single-round-trip/transaction-keys.ts';
import { NO_RULE, type WriteContext } from '#core/write/write-context.ts';
import { createDatabase, type Teardown } from '#tests/harness/database.ts';

const BOUNDS = {
  limitDefault: 100,
  limitMax: undefined,
  maxDepth: 10,
  maxFields: 500,
  maxJsonDepth: 10,
};

export interface WriterOptions {
  readonly caller?: Partial<Caller>;
  readonly rights?: Rights;
  readonly maxItems?: number;
}

export interface Writer {
  /** Runs a statement and yields its rows. */
  sql(text: string): Promise<Record<string, unknown>[]>;
  create(collection: string, body: unknown, options?: WriterOptions): Promise<readonly Key[]>;
  /** Creates in one round trip; null where something would have to be looked up before. */
  createAtOnce(
    collection: string,
    body: unknown,
    options?: WriterOptions,
  ): Promise<readonly string[] | null>;
  /** Whether an item is read in one go, without the planner. */
  isPlainTree(collection: string, value: unknown, options?: WriterOptions): Promise<boolean>;
  update(
    collection: string,
    keys: readonly (string | number)[],
    body: unknown,
    options?: WriterOptions,
  ): Promise<readonly Key[]>;
  remove(
    collection: string,
    keys: readonly number[],
    options?: { readonly mayBeGone: boolean },
  ): Promise<void>;
  /** Statements that the last write sent. */
  statements(): readonly string[];
}

function inputsOf(body: unknown): InputItem[] {
  const list = Array.isArray(body) ? body : [body];
  return list.map((value, index) => ({
    place: Array.isArray(body) ? [index] : [],
    value,
    intent: 'create',
  }));
}

/** Runs `setup` in a fresh database and opens it for writing. */
export async function openWriter(t: Teardown, setup: string): Promise<Writer> {
  const url = await createDatabase(t);
  const config = loadConfig({});
  await migrate(config, url);
  const log = pino({ level: 'silent' });
  const pool = createPool(config, url, log, { name: 'test', max: 2, statementTimeout: 0 });
  t.teardown(() => pool.end());
  await pool.query(setup);
  const client = await pool.connect();
  const found = await introspect(client, ['public'], 'public');
  client.release();
  const { collections, leftOut } = buildDescriptors(found, ['public'], 'public');
  const catalog = await buildCatalog({ version: 1, collections, leftOut });
  let statements: string[] = [];

  function open(connection: WriteContext['client'], options: WriterOptions) {
    const { caller = {}, rights = FULL_RIGHTS, maxItems } = options;
    const counted: WriteContext['client'] = new Proxy(connection, {
      get(target, name) {
        if (name !== 'query') return Reflect.get(target, name);
        return (statement: { text: string }, ...rest: unknown[]) => {
          if (typeof statement.text === 'string') statements.push(statement.text);
          return Reflect.apply(target.query, target, [statement, ...rest]);
        };
      },
    });
    const writeOf = (name: string): WriteContext => {
      const own = catalog.collections.get(name);
      if (own === undefined) throw new Error(`no collection ${name}`);
      return {
        target: {
          catalog,
          rights,
          grants: rights.reading,
          caller: { ...ANONYMOUS, admin: true, ...caller },
          bounds: BOUNDS,
          collection: name,
        },
        collection: own,
        client: counted,
        now: new Date(),
        rule: NO_RULE,
        hash: async (secret) => `hashed ${secret}`,
      };
    };
    const history = new History(counted, 'public', { user: null, visitor: NO_VISITOR });
    return { writeOf, maxItems, history };
  }

  function run(collection: string, inputs: readonly InputItem[], options: WriterOptions = {}) {
    statements = [];
    return transaction(pool, (connection) => {
      const surroundings = open(connection, options);
      return writeItems(surroundings.writeOf(collection), inputs, surroundings);
    });
  }

  function runAtOnce(
    collection: string,
    inputs: readonly InputItem[],
    options: WriterOptions = {},
  ) {
    return withConnection(pool, async (connection) => {
      const surroundings = open(connection, options);
      const fresh = await prepareNewItems(surroundings.writeOf(collection), inputs, surroundings);
      if (fresh === null) return null;
      const { items, after } = fresh;
      const creation = bindParameters(
        render(newItemsSql(items, 'public', null)),
        await newItemsValues(items, surroundings.history),
      );
      const results = await runTogether(connection, [creation, ...after]);
      const [{ rows }] = items.recorded;
      const text = results[0]?.[0]?.[items.written.indexOf(rows)] ?? '';
      return parseKeys(text, rows.nodes.length);
    });
  }

  return {
    async sql(text) {
      return (await pool.query(text)).rows;
    },
    create: (collection, body, options) => run(collection, inputsOf(body), options),
    createAtOnce: (collection, body, options) => runAtOnce(collection, inputsOf(body), options),
    isPlainTree: (collection, value, options = {}) =>
      withConnection(pool, async (connection) => {
        const surroundings = open(connection, options);
        const write = surroundings.writeOf(collection);
        return prepareNewTree(write, { place: [], value }, surroundings) !== null;
      }),
    update(collection, keys, body, options) {
      const inputs = keys.map(
        (key): InputItem => ({ place: [], value: body, intent: 'update', key: [String(key)] }),
      );
      return run(collection, inputs, options);
    },
    remove: (collection, keys, options) =>
      transaction(pool, (connection) => {
        const { writeOf, history } = open(connection, {});
        const texts = keys.map((key) => [String(key)]);
        return deleteItems(writeOf(collection), texts, history, options);
      }),
    statements: () => statements,
  };
}
