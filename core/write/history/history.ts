/**
 * Records history: an activity for each row that is written or deleted, and a revision with the row
 * afterwards. It is part of the same transaction.
 */

import { type Visitor, visitorValues } from '#core/accounts/identity/session.ts';
import { oncePer } from '#core/base/once-per.ts';
import { bareType } from '#core/database/column-type.ts';
import type { Client } from '#core/database/pool.ts';
import { rowsOf } from '#core/database/prepared.ts';
import { empty, identifier, join, literal, render, type Sql, sql } from '#core/database/sql.ts';
import {
  CONCEALED,
  type Collection,
  type ColumnField,
  type Field,
  isColumn,
  isConcealed,
} from '#core/model/catalog/catalog.ts';
import { decodedColumn } from '#core/model/catalog/column-codec.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import { systemCollections } from '#core/model/system-collections/registry.ts';
import { type Key, keyOfBody, keyOfPath } from '#core/query/key.ts';
import { outputOf } from '#core/read/sql/output.ts';
import type { RecordChange } from '../changes/write-transactions.ts';

/** The user and the origin of the request. */
export interface Author {
  /** Null when anonymous. */
  readonly user: string | null;
  readonly visitor: Visitor;
}

/** Nothing is known about the origin of a request. */
export const NO_VISITOR: Visitor = Object.freeze({ ip: null, userAgent: null, origin: null });

/** The recorded actions. An import and its undo are recorded as a whole, with the key of their job. */
export type HistoryAction = 'create' | 'update' | 'delete' | 'revert' | 'import' | 'undo';

/** The changes that recorded actions are reported as, where they differ. */
const REPORTED = { revert: 'update', undo: 'import' } as const;

/** The actions with a revision. */
const REVISED: ReadonlySet<HistoryAction> = new Set(['create', 'update', 'revert']);

/** The fields of a row that were written. */
export type Delta = Readonly<Record<string, unknown>>;

/** One recorded change of one row. */
export interface HistoryEntry {
  readonly key: Key;
  readonly delta: Delta;
  /** The revision of the parent item in the same payload. */
  readonly parent: number | null;
}

/** Collections that change too often, or are history themselves. */
const WITHOUT_HISTORY = systemCollections(({ audited }) => !audited);

/** How much history a collection keeps. */
function accountabilityOf(collection: Collection): 'all' | 'activity' | null {
  if (WITHOUT_HISTORY.has(collection.name)) return null;
  return collection.meta === null ? 'all' : collection.meta.accountability;
}

/** Whether a collection keeps history. */
export function hasHistory(collection: Collection): boolean {
  return accountabilityOf(collection) !== null;
}

/** Whether a collection keeps revisions. */
export function hasRevisions(collection: Collection): boolean {
  return accountabilityOf(collection) === 'all';
}

/** The key of an item as one text, as in a path. */
export function itemText(key: Key): string {
  const [only, ...more] = key;
  return more.length === 0 && only !== undefined ? only : key.map(encodeURIComponent).join(',');
}

/**
 * Parses {@link itemText}.
 * @throws ServiceError FORBIDDEN when the text cannot be a key of the collection
 */
export function keyOfItem(collection: Collection, item: string): Key {
  const isPlain = collection.primaryKey.length === 1;
  return isPlain ? keyOfBody(collection, item) : keyOfPath(collection, item);
}

/** A value as it is shown: secrets masked, and numeric keys as numbers. */
function shownValue(field: Field | undefined, value: unknown): unknown {
  if (field === undefined || field.column === null || value === null) return value;
  if (isConcealed(field)) return CONCEALED;
  const isNumber = field.type === 'integer' && typeof value === 'string' && /^-?\d+$/.test(value);
  return isNumber ? Number(value) : value;
}

/** The written fields as JSON. */
export function deltaText({ fields }: Collection, { delta }: Pick<HistoryEntry, 'delta'>): string {
  const names = Object.keys(delta);
  const shown = (name: string) => shownValue(fields.get(name), delta[name]);
  if (names.every((name) => shown(name) === delta[name])) return JSON.stringify(delta);
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, shown(name)])));
}

/** The current row `t` as JSON, as it is shown; secrets masked. */
export const snapshot = oncePer((collection: Collection): Sql => {
  // A row that no longer exists has no snapshot, but its position stays.
  const [first] = collection.primaryKey;
  const there =
    first === undefined ? sql`TRUE` : sql`${identifier('t', first.column.name)} IS NOT NULL`;
  return sql`(SELECT row_to_json(r.*) FROM (SELECT ${visibleColumns(collection)} WHERE ${there}) AS r)`;
});

/** The columns of the row `t` as they are shown. */
export function visibleColumns(collection: Collection): Sql {
  const columns = [...collection.fields.values()].flatMap((field) =>
    field.column === null
      ? []
      : [
          sql`${outputOf({ ...field, column: field.column }, decodedColumn(field, identifier('t', field.column.name)))} AS ${identifier(field.name)}`,
        ],
  );
  return join(columns);
}

/**
 * The {@link snapshot} of an existing row `t` that has exactly the table's columns. It is the row
 * itself if every column is shown unchanged.
 */
function rowSnapshot(collection: Collection): Sql {
  const columns = collection.table?.columns ?? [];
  const fields = [...collection.fields.values()].filter(isColumn);
  const isShownAsIs = (field: ColumnField, place: number) => {
    const value = identifier('t', field.column.name);
    const isAsIs = outputOf(field, decodedColumn(field, value)) === value;
    return isAsIs && field.name === columns[place]?.name && field.column.name === field.name;
  };
  const isWhole = fields.length === columns.length && fields.every(isShownAsIs);
  return isWhole ? sql`row_to_json(t.*)` : snapshot(collection);
}

/** The values of a statement: of one entry, or arrays of several. */
interface EntryValues {
  readonly isOne: boolean;
  readonly items: Sql;
  readonly deltas: Sql;
  readonly parents: Sql;
  /** One for each column of the key. */
  readonly keys: readonly Sql[];
}

function entryValues(collection: Collection, entries: readonly HistoryEntry[]): EntryValues {
  const [first, ...more] = entries;
  const { primaryKey } = collection;
  // A single entry uses plain values, because the planner estimates the length of arrays.
  if (first !== undefined && more.length === 0) {
    return {
      isOne: true,
      items: sql`${itemText(first.key)}::text`,
      deltas: sql`${deltaText(collection, first)}::text`,
      parents: sql`${first.parent}::int4`,
      keys: primaryKey.map((_, part) => sql`${first.key[part] ?? null}::text`),
    };
  }
  return {
    isOne: false,
    items: sql`${entries.map(({ key }) => itemText(key))}::text[]`,
    deltas: sql`${entries.map((entry) => deltaText(collection, entry))}::text[]`,
    parents: sql`${entries.map(({ parent }) => parent)}::int4[]`,
    keys: primaryKey.map((_, part) => sql`${entries.map(({ key }) => key[part] ?? null)}::text[]`),
  };
}

/** The condition that `t` has these key values. */
function keyMatches(collection: Collection, values: readonly Sql[]): Sql {
  const tests = collection.primaryKey.map(
    ({ column }, part) =>
      sql`${identifier('t', column.name)} = ${values[part] ?? empty}::${bareType(column)}`,
  );
  return join(tests, ' AND ');
}

/** The first part of the statement that inserts activities; only the keys are missing. */
function activityInto(
  schema: string,
  author: readonly unknown[],
  action: string,
  { name }: Collection,
): Sql {
  const [user, ...visitor] = author;
  const facts = join(visitor.map((value) => sql`${value}`));
  return sql`INSERT INTO ${systemTable(schema, 'activity')}
    (action, "user", ip, user_agent, origin, collection, item)
    SELECT ${literal(action)}, ${user}::uuid, ${facts}, ${literal(name)}`;
}

function revisionInto(schema: string): Sql {
  return sql`INSERT INTO ${systemTable(schema, 'revisions')}
    (activity, collection, item, data, delta, parent)`;
}

/** Rows, for a statement that writes them and their history. */
export interface WrittenRows {
  readonly collection: Collection;
  readonly action: 'create' | 'update' | 'delete';
  /** The source of the rows with all their columns. */
  readonly rows: Sql;
  /** The values of {@link History.author}. */
  readonly author: readonly unknown[];
  /** The {@link deltaText} that the rows have in common, or SQL for that of each row `t`. */
  readonly delta: unknown;
  /**
   * The column with the rows' positions from 1, which determine the recording order; null: one row.
   */
  readonly place: Sql | null;
}

/**
 * The name of an extra column, for example for positions, in a statement on a collection.
 * @param usual its name, unless the table has such a column
 */
export function ordinalColumn({ table }: Collection, usual = 'n'): Sql {
  let name = usual;
  while (table?.columns.some((column) => column.name === name)) name += '_';
  return identifier(name);
}

/** The CTEs that record written rows, each after a comma; empty without history. */
export function recordRows(schema: string, written: WrittenRows): Sql {
  const { collection, action, rows, author, delta, place } = written;
  const kept = accountabilityOf(collection);
  const [key] = collection.primaryKey;
  if (kept === null || key === undefined) return empty;
  const item = sql`left(${identifier('t', key.column.name)}::text, 255)`;
  const order = place === null ? empty : sql` ORDER BY t.${place}`;
  const activity = sql`, a AS (${activityInto(schema, author, action, collection)}, ${item} FROM ${rows} AS t${order} RETURNING id)`;
  if (kept === 'activity' || !REVISED.has(action)) return activity;
  const data = place === null ? rowSnapshot(collection) : snapshot(collection);
  const values = sql`${literal(collection.name)}, ${item}, ${data}, ${delta}::text::json, NULL::int4`;
  if (place === null) {
    return sql`${activity}, h AS (${revisionInto(schema)} SELECT a.id, ${values} FROM a, ${rows} AS t)`;
  }
  return sql`${activity}, b AS (SELECT id, row_number() OVER () AS n FROM a), h AS (${revisionInto(schema)}
    SELECT b.id, ${values} FROM ${rows} AS t JOIN b ON b.n = t.${place} ORDER BY b.n)`;
}

export class History {
  readonly #client: Client;
  readonly #schema: string;
  readonly #author: Author;
  readonly #note: RecordChange;

  /** @param note is called for each change, also without history */
  constructor(
    client: Client,
    schema: string,
    author: Author,
    note: RecordChange = () => undefined,
  ) {
    this.#client = client;
    this.#schema = schema;
    this.#author = author;
    this.#note = note;
  }

  /** The same history, which records updates as reverts. */
  get ofRevert(): History {
    return new RevertHistory(this.#client, this.#schema, this.#author, this.#note);
  }

  /**
   * Records rows of one collection that were created, changed or deleted, with one statement.
   * @returns the revisions in the order of the entries; empty without revisions
   */
  async record(
    collection: Collection,
    action: HistoryAction,
    entries: readonly HistoryEntry[],
  ): Promise<readonly number[]> {
    if (entries.length === 0) return [];
    this.#note({
      collection: collection.name,
      action: action === 'revert' || action === 'undo' ? REPORTED[action] : action,
      keys: entries.map(({ key }) => itemText(key)),
      user: this.#author.user,
    });
    const statement = this.#statement(collection, action, entries);
    if (statement === null) return [];
    const rows = await rowsOf<[number]>(this.#client, render(statement));
    const revised = accountabilityOf(collection) === 'all' && REVISED.has(action);
    return revised ? rows.map(([id]) => id) : [];
  }

  /** Reports items that PostgreSQL itself deletes or changes, which are not recorded. */
  noteItems(collection: Collection, action: 'update' | 'delete', keys: readonly string[] | null) {
    this.#note({ collection: collection.name, action, keys, user: this.#author.user });
  }

  /** Reports changed items that are not recorded one by one. */
  noteMany(collection: Collection): void {
    const { user } = this.#author;
    this.#note({ collection: collection.name, action: 'update', keys: null, user });
  }

  /** The values of the author, in the order that {@link recordRows} requires. */
  get author(): readonly (string | null)[] {
    const { user, visitor } = this.#author;
    return [user, ...visitorValues(visitor)];
  }

  #statement(
    collection: Collection,
    action: HistoryAction,
    entries: readonly HistoryEntry[],
  ): Sql | null {
    const kept = accountabilityOf(collection);
    if (kept === null) return null;
    const values = entryValues(collection, entries);
    return kept === 'all' && REVISED.has(action)
      ? this.#revisions(collection, action, values)
      : this.#activities(collection, action, values);
  }

  #activities(collection: Collection, action: string, { isOne, items }: EntryValues): Sql {
    const into = activityInto(this.#schema, this.author, action, collection);
    if (isOne) return sql`${into}, left(${items}, 255) RETURNING id`;
    return sql`${into}, left(v.item, 255)
      FROM unnest(${items}) WITH ORDINALITY AS v(item, n) ORDER BY v.n RETURNING id`;
  }

  #revisions(collection: Collection, action: string, values: EntryValues): Sql {
    const { table } = collection;
    if (table === null) throw new TypeError(`${collection.name} has no rows`);
    const t = sql`${identifier(table.schema, table.name)} AS t`;
    const { isOne, items, deltas, parents, keys } = values;
    const first = sql`WITH a AS (${this.#activities(collection, action, values)})`;
    const into = revisionInto(this.#schema);
    const name = literal(collection.name);
    if (isOne) {
      return sql`${first} ${into}
        SELECT a.id, ${name}, left(${items}, 255), ${snapshot(collection)}, ${deltas}::json, ${parents}
        FROM a LEFT JOIN ${t} ON ${keyMatches(collection, keys)} RETURNING id`;
    }
    const names = ['item', 'delta', 'parent', ...keys.map((_, part) => `k${part + 1}`), 'n'];
    const columns = keys.map((_, part) => identifier('v', `k${part + 1}`));
    return sql`${first}, b AS (SELECT id, row_number() OVER (ORDER BY id) AS n FROM a) ${into}
      SELECT b.id, ${name}, left(v.item, 255), ${snapshot(collection)}, v.delta::json, v.parent
      FROM unnest(${join([items, deltas, parents, ...keys])}) WITH ORDINALITY
          AS v(${join(names.map((part) => identifier(part)))})
        JOIN b ON b.n = v.n
        LEFT JOIN ${t} ON ${keyMatches(collection, columns)}
      ORDER BY v.n RETURNING id`;
  }
}

class RevertHistory extends History {
  override record(
    collection: Collection,
    action: HistoryAction,
    entries: readonly HistoryEntry[],
  ): Promise<readonly number[]> {
    return super.record(collection, action === 'update' ? 'revert' : action, entries);
  }
}
