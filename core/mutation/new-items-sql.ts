/**
 * The statement that writes new items with all that they bring along, and their history. It is made
 * once for all items of the same form.
 */
import { identifier, join, raw, type Sql, sql } from '#core/database/sql.ts';
import { hasHistory, hasRevisions, type Nesting, recordRows } from '#core/history/history.ts';
import { Given } from '#core/query/plan/slot.ts';
import type { Written } from '#core/query/sql/compile.ts';
import { insertRowsSql, type NewColumn } from './insert.ts';
import { isOneRow, keptOf, type NewItems, type NewRows, numbersOf } from './new-items.ts';

/** The values of an author. */
const AUTHOR = 4;

/** The places of the values of some rows, in the order in which they are sent. */
interface RowPlaces {
  readonly count: Given;
  readonly fields: readonly Given[];
  readonly references: readonly { readonly numbers: Given; readonly token: Given }[];
  readonly deltas: Given;
  readonly owners: Given;
}

function rowsNamed(number: number): Sql {
  return raw(`w${number}`);
}

/** The items as the rest of the statement reads them. */
export function writtenItems(isList: boolean): Written {
  return { source: rowsNamed(0), isList };
}

function keyOf({ collection }: NewRows): Sql {
  const [key] = collection.primaryKey;
  if (key === undefined) throw new TypeError(`items of ${collection.name} have no key`);
  return identifier(key.column.name);
}

/** Values of rows written before with their numbers. */
function numberedSql(column: Sql, source: Sql): Sql {
  return sql`(SELECT row_number() OVER () AS n, ${column} AS key FROM ${source})`;
}

class Writing {
  readonly #items: NewItems;
  readonly #schema: string;
  readonly #numbers: ReadonlyMap<NewRows, number>;
  readonly #author: readonly Given[];
  readonly #places = new Map<NewRows, RowPlaces>();

  constructor(items: NewItems, schema: string) {
    this.#items = items;
    this.#schema = schema;
    this.#numbers = numbersOf(items);
    let place = 0;
    const next = () => {
      const given = new Given(place);
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

  #insert(rows: NewRows): Sql {
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
      if (isOneRow(before)) return { field, value: sql`(SELECT ${key} FROM ${source})` };
      const numbers = places.references[index]?.numbers ?? count;
      return { field, values: numberedSql(key, source), numbers };
    });
    const columns = [...own, ...taken].sort(
      (a, b) => a.field.column.position - b.field.column.position,
    );
    const isOne = isOneRow(rows);
    const all = collection.table?.columns.map(({ name }) => identifier('t', name)) ?? [];
    const insert = insertRowsSql({ collection, columns, isOne, count });
    return sql`${this.#nameOf(rows)} AS (${insert} RETURNING ${join(all)})`;
  }

  /** What was written of a row, with the keys in the places of what stands for them. */
  #delta(rows: NewRows, text: Sql): Sql {
    const { references } = this.#placesOf(rows);
    return rows.references.reduce((inner, { field }, index) => {
      const column = sql`${identifier('t', field.column.name)}::text`;
      const key = field.type === 'integer' ? column : sql`to_json(${column})::text`;
      return sql`replace(${inner}, ${references[index]?.token}::text, ${key})`;
    }, text);
  }

  #record(place: number): Sql {
    const { rows, owner } = this.#items.recorded[place] ?? this.#items.recorded[0];
    const { deltas, owners } = this.#placesOf(rows);
    let parent: Nesting['parent'];
    if (owner !== null && hasRevisions(owner.rows.collection)) {
      const revisions = raw(`h${this.#numberOf(owner.rows)}`);
      parent = isOneRow(owner.rows)
        ? { value: sql`(SELECT id FROM ${revisions})` }
        : { values: numberedSql(raw('id'), revisions), numbers: owners };
    }
    return recordRows(this.#schema, {
      collection: rows.collection,
      action: 'create',
      rows: this.#nameOf(rows),
      isOne: isOneRow(rows),
      author: this.#author,
      deltas,
      nesting: { number: place, deltaOf: (text) => this.#delta(rows, text), parent },
    });
  }

  /** Selects the keys of rows as one text. */
  keys(rows: NewRows): Sql {
    const key = sql`${keyOf(rows)}::text`;
    return sql`(SELECT ${isOneRow(rows) ? key : sql`array_agg(${key})::text`} FROM ${this.#nameOf(rows)})`;
  }

  /** Selects something of what was recorded of rows, so that it is recorded before what follows. */
  done(rows: NewRows, place: number): Sql {
    const recorded = raw(`${hasRevisions(rows.collection) ? 'h' : 'a'}${place}`);
    return sql`(SELECT ${raw(isOneRow(rows) ? 'id' : 'max(id)')} FROM ${recorded})`;
  }

  get parts(): Sql {
    const { written, recorded } = this.#items;
    const history = recorded.map((_, place) => this.#record(place));
    return sql`${join(written.map((rows) => this.#insert(rows)))}${join(history, '')}`;
  }
}

/**
 * The statement that creates items, with places for `newItemsValues`. It yields one row: the texts of
 * the keys in the order in which the rows are written, and at its end the answer.
 * @param schema that of the system tables
 * @param answer a select of the answer; null: none, and the keys are kept for later statements
 */
export function newItemsSql(items: NewItems, schema: string, answer: Sql | null): Sql {
  const writing = new Writing(items, schema);
  const { written, recorded } = items;
  const [{ rows: root }] = recorded;
  const isKept = answer === null;
  const keys = written.map((rows) => {
    const text = writing.keys(rows);
    return rows === root && isKept ? keptOf(items).keep(text) : text;
  });
  // Parts run when something of them is selected: so history tells of items before what they brought.
  const done = recorded.flatMap(({ rows }, place) =>
    recorded.length > 1 && hasHistory(rows.collection) ? [writing.done(rows, place)] : [],
  );
  return sql`WITH ${writing.parts} SELECT ${join([...keys, ...done, ...(isKept ? [] : [sql`(${answer})`])])}`;
}
