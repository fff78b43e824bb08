/**
 * The statement that writes new items, their nested items and their history. It is built once for
 * all items of the same form.
 */
import { identifier, join, raw, type Sql, sql } from '#core/database/sql.ts';
import { StatementParameter } from '#core/read/plan/placeholder.ts';
import type { JustWrittenRows } from '#core/read/sql/compile.ts';
import { hasHistory, hasRevisions, recordRows } from '../history/history.ts';
import {
  type NewRowsToRecord,
  numberedSql,
  recordNewRows,
  rowCountClass,
} from '../history/new-rows.ts';
import { insertRowsSql, type NewColumn } from '../insert.ts';
import {
  isSingleRow,
  type NewItems,
  type NewRows,
  type RecordedRows,
  rowNumbers,
  transactionKeysOf,
} from './new-items.ts';

/** The number of author values. */
const AUTHOR = 4;

/** The placeholders for the values of some rows, in sending order. */
interface RowPlaces {
  readonly count: StatementParameter;
  readonly fields: readonly StatementParameter[];
  readonly references: readonly {
    readonly numbers: StatementParameter;
    readonly token: StatementParameter;
  }[];
  readonly deltas: StatementParameter;
  readonly owners: StatementParameter;
}

function rowsNamed(number: number): Sql {
  return raw(`w${number}`);
}

function columnsOf({ collection }: NewRows): Sql {
  return join(collection.table?.columns.map(({ name }) => identifier('t', name)) ?? []);
}

/** Whether the request creates one item without nested items. */
function isOneItem({ recorded: [{ rows }, ...more] }: NewItems): boolean {
  return more.length === 0 && isSingleRow(rows);
}

/** Whether the inserted row is the only row that the statement writes. */
function isOnlyRow(items: NewItems): boolean {
  return isOneItem(items) && !hasHistory(items.recorded[0].rows.collection);
}

/** The written items as a row source for the rest of the statement. */
export function writtenItems(items: NewItems, isList: boolean): JustWrittenRows {
  const [{ rows }] = items.recorded;
  return { source: isOnlyRow(items) ? sql`(SELECT ${columnsOf(rows)})` : rowsNamed(0), isList };
}

function keyOf({ collection }: NewRows): Sql {
  const [key] = collection.primaryKey;
  if (key === undefined) throw new TypeError(`items of ${collection.name} have no key`);
  return identifier(key.column.name);
}

/** Whether history stores revisions for some of the rows and only activities for other rows. */
function isMixed({ recorded }: NewItems): boolean {
  const kept = recorded.filter(({ rows }) => hasHistory(rows.collection));
  return new Set(kept.map(({ rows }) => hasRevisions(rows.collection))).size > 1;
}

class Writing {
  readonly #items: NewItems;
  readonly #schema: string;
  readonly #numbers: ReadonlyMap<NewRows, number>;
  readonly #author: readonly StatementParameter[];
  readonly #places = new Map<NewRows, RowPlaces>();

  constructor(items: NewItems, schema: string) {
    this.#items = items;
    this.#schema = schema;
    this.#numbers = rowNumbers(items);
    let place = 0;
    const next = () => {
      const given = new StatementParameter(place);
      place += 1;
      return given;
    };
    this.#author = Array.from({ length: AUTHOR }, next);
    for (const rows of items.written) {
      this.#places.set(rows, {
        count: next(),
        fields: rows.fields.map(next),
        references: rows.references.map(() => ({ numbers: next(), token: next() })),
        deltas: next(),
        owners: next(),
      });
    }
  }

  #numberOf(rows: NewRows): number {
    const number = this.#numbers.get(rows);
    if (number === undefined) throw new TypeError(`rows of ${rows.collection.name} are left out`);
    return number;
  }

  #nameOf(rows: NewRows): Sql {
    return rowsNamed(this.#numberOf(rows));
  }

  #placesOf(rows: NewRows): RowPlaces {
    const places = this.#places.get(rows);
    if (places === undefined) throw new TypeError(`rows of ${rows.collection.name} have no values`);
    return places;
  }

  /** Inserts rows, with the alias `t`; a RETURNING clause may follow. */
  insert(rows: NewRows): Sql {
    const { collection, fields, references } = rows;
    const places = this.#placesOf(rows);
    const { count } = places;
    const own = fields.map((field, index): NewColumn => {
      const given = places.fields[index];
      if (given === undefined) throw new TypeError(`field ${field.name} has no value`);
      return { field, given };
    });
    const taken = references.map(({ field, rows: before }, index): NewColumn => {
      const key = keyOf(before);
      const source = this.#nameOf(before);
      if (isSingleRow(before)) return { field, value: sql`(SELECT ${key} FROM ${source})` };
      const numbers = places.references[index]?.numbers ?? count;
      return { field, values: numberedSql(key, source), numbers };
    });
    const columns = [...own, ...taken].sort(
      (a, b) => a.field.column.position - b.field.column.position,
    );
    const isOne = isSingleRow(rows);
    return insertRowsSql({ collection, columns, isOne, count });
  }

  /** The text of a row's delta, with each token replaced by the generated key. */
  #complete(rows: NewRows, text: Sql): Sql {
    const { references } = this.#placesOf(rows);
    return rows.references.reduce((inner, { field }, index) => {
      const column = sql`${identifier('t', field.column.name)}::text`;
      const key = field.type === 'integer' ? column : sql`to_json(${column})::text`;
      return sql`replace(${inner}, ${references[index]?.token}::text, ${key})`;
    }, text);
  }

  #record({ rows, owner }: RecordedRows): NewRowsToRecord {
    const { deltas, owners } = this.#placesOf(rows);
    const isKept = owner !== null && hasRevisions(owner.rows.collection);
    return {
      collection: rows.collection,
      rows: this.#nameOf(rows),
      size: rowCountClass(rows.nodes.length),
      deltas,
      complete: (delta) => this.#complete(rows, delta),
      parents: isKept
        ? { number: this.#numberOf(owner.rows), places: isSingleRow(owner.rows) ? null : owners }
        : null,
    };
  }

  /** Selects the keys of rows as one text. */
  keys(rows: NewRows): Sql {
    const key = sql`${keyOf(rows)}::text`;
    return sql`(SELECT ${isSingleRow(rows) ? key : sql`array_agg(${key})::text`} FROM ${this.#nameOf(rows)})`;
  }

  /** The CTEs that record the rows. */
  get #history(): Sql {
    const { recorded } = this.#items;
    const [{ rows }] = recorded;
    if (!isOneItem(this.#items)) {
      const all = recorded.map((one) => this.#record(one));
      return recordNewRows(this.#schema, this.#author, all);
    }
    const { collection } = rows;
    return recordRows(this.#schema, {
      ...{ collection, action: 'create', rows: this.#nameOf(rows), author: this.#author },
      ...{ delta: this.#placesOf(rows).deltas, place: null },
    });
  }

  get parts(): Sql {
    const { written } = this.#items;
    const inserts = written.map(
      (rows) => sql`${this.#nameOf(rows)} AS (${this.insert(rows)} RETURNING ${columnsOf(rows)})`,
    );
    return sql`${join(inserts)}${this.#history}`;
  }
}

/**
 * The statement that creates items, with placeholders for `newItemsValues`. It yields one row: the
 * texts of the keys in write order, and the answer as the last column.
 * @param schema the schema of the system tables
 * @param answer a SELECT of the answer; null: no answer, and the keys are stored for later
 * statements
 */
export function newItemsSql(items: NewItems, schema: string, answer: Sql | null): Sql {
  const writing = new Writing(items, schema);
  const { written, recorded } = items;
  const [{ rows: root }] = recorded;
  const isKept = answer === null;
  if (isOnlyRow(items)) {
    const key = sql`t.${keyOf(root)}::text`;
    const shown = answer === null ? transactionKeysOf(items).keep(key) : sql`${key}, (${answer})`;
    return sql`${writing.insert(root)} RETURNING ${shown}`;
  }
  const keys = written.map((rows) => {
    const text = writing.keys(rows);
    return rows === root && isKept ? transactionKeysOf(items).keep(text) : text;
  });
  if (isOneItem(items) && answer !== null) {
    const name = rowsNamed(0);
    return sql`WITH ${writing.parts} SELECT ${name}.${keyOf(root)}::text, (${answer}) FROM ${name}`;
  }
  // Selecting from a CTE here runs it first, so all history is recorded in row order.
  const done = isMixed(items) ? [sql`(SELECT count(*) FROM a)`] : [];
  return sql`WITH ${writing.parts} SELECT ${join([...keys, ...done, ...(isKept ? [] : [sql`(${answer})`])])}`;
}
