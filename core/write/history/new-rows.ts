/**
 * Records new rows of several collections within the statement that writes them. It inserts all
 * activities together, and all revisions together. It allocates their keys first, so that revisions
 * can refer to their activities and their parent revisions.
 */

import { empty, identifier, join, literal, quote, raw, type Sql, sql } from '#core/database/sql.ts';
import type { Collection } from '#core/model/catalog/catalog.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import { hasHistory, hasRevisions, ordinalColumn, visibleColumns } from './history.ts';

/** The revisions of the parent rows. */
export interface ParentRevisions {
  /** The number of the parent rows' group. */
  readonly number: number;
  /** For each row the position of its parent, from 1; null: all rows have one parent. */
  readonly places: unknown;
}

/**
 * The size of a group of rows: the statement finds few rows in arrays by number, and joins many.
 */
export type RowCountClass = 'one' | 'few' | 'many';

const FEW = 100;

export function rowCountClass(count: number): RowCountClass {
  if (count === 1) return 'one';
  return count <= FEW ? 'few' : 'many';
}

/** New rows of one collection. */
export interface NewRowsToRecord {
  readonly collection: Collection;
  /** The source of the rows with all their columns, in write order. */
  readonly rows: Sql;
  readonly size: RowCountClass;
  /** The delta text of the only row, or an array of those of all rows. */
  readonly deltas: unknown;
  /** Completes the delta text of the row `t`. */
  readonly complete: (delta: Sql) => Sql;
  readonly parents: ParentRevisions | null;
}

/** Values of rows in order, with their numbers. */
export function numberedSql(column: Sql, source: Sql): Sql {
  return sql`(SELECT row_number() OVER () AS n, ${column} AS key FROM ${source})`;
}

function entriesNamed(number: number): Sql {
  return raw(`e${number}`);
}

/** The next key of a system table. */
function nextKey(schema: string, table: 'activity' | 'revisions'): Sql {
  const sequence = `${quote(schema)}.${quote(`system_${table}_id_seq`)}`;
  return sql`nextval(${literal(sequence)}::regclass)::int4`;
}

/** The revision of a row's parent. */
function parentSql({ number, places }: ParentRevisions, isOne: boolean): Sql {
  const entries = entriesNamed(number);
  if (places === null) return sql`(SELECT id FROM ${entries})`;
  if (!isOne) return raw('p.key');
  return sql`(SELECT r.key FROM ${numberedSql(raw('id'), entries)} AS r WHERE r.n = ${places}::int8)`;
}

/** The delta text of the row `t`. */
function deltaSql({ collection, size, deltas }: NewRowsToRecord): Sql {
  if (size === 'one') return sql`${deltas}::text`;
  if (size === 'many') return raw('v.delta');
  return sql`(${deltas}::text[])[t.${ordinalColumn(collection)}]`;
}

/**
 * The history columns of rows: `activity`, `item` and, with revisions, `id`, `data`, `delta`,
 * `parent`.
 */
function entriesSql(schema: string, rows: NewRowsToRecord): Sql {
  const { collection, rows: source, size, deltas, complete, parents } = rows;
  const [key] = collection.primaryKey;
  const item = sql`left(${identifier('t', key?.column.name ?? '')}::text, 255) AS item`;
  const first = sql`SELECT ${nextKey(schema, 'activity')} AS activity, ${item}`;
  if (!hasRevisions(collection)) return sql`${first} FROM ${source} AS t`;
  const parent = parents === null ? raw('NULL::int4') : parentSql(parents, size === 'one');
  const delta = complete(deltaSql(rows));
  const select = sql`${first}, ${nextKey(schema, 'revisions')} AS id, row_to_json(d.*) AS data,
    ${delta}::json AS delta, ${parent} AS parent`;
  const shown = sql`CROSS JOIN LATERAL (SELECT ${visibleColumns(collection)}) AS d`;
  if (size === 'one') return sql`${select} FROM ${source} AS t ${shown}`;
  // Rows of a CTE are read in the order in which they were written.
  const place = ordinalColumn(collection);
  const own = sql`(SELECT row_number() OVER () AS ${place}, ${source}.* FROM ${source}) AS t`;
  const n = sql`t.${place}`;
  const owned = (parent: Sql) =>
    parents?.places
      ? sql` JOIN ${numberedSql(raw('id'), entriesNamed(parents.number))} AS p ON p.n = ${parent}`
      : empty;
  if (size === 'few') {
    const joined = owned(sql`(${parents?.places}::int8[])[${n}]`);
    const order = parents?.places ? sql` ORDER BY ${n}` : empty;
    return sql`${select} FROM ${own}${joined} ${shown}${order}`;
  }
  const arrays = parents?.places
    ? sql`${deltas}::text[], ${parents.places}::int8[]`
    : sql`${deltas}::text[]`;
  const names = raw(parents?.places ? 'delta, p, n' : 'delta, n');
  return sql`${select} FROM ${own}
      JOIN unnest(${arrays}) WITH ORDINALITY AS v(${names}) ON v.n = ${n}${owned(raw('v.p'))} ${shown}
    ORDER BY v.n`;
}

function unionOf(selects: readonly Sql[]): Sql {
  return join(selects, ' UNION ALL ');
}

/**
 * The CTEs that record new rows, each after a comma; empty without history. Parents precede their
 * nested rows.
 * @param author the values of `History.author`
 */
export function recordNewRows(
  schema: string,
  author: readonly unknown[],
  all: readonly NewRowsToRecord[],
): Sql {
  const told = all.flatMap((rows, number) => {
    const name = entriesNamed(number);
    const collection = sql`${literal(rows.collection.name)}::text`;
    return hasHistory(rows.collection) ? [{ rows, name, collection }] : [];
  });
  if (told.length === 0) return empty;
  const entries = told.map(({ rows, name }) => sql`, ${name} AS (${entriesSql(schema, rows)})`);
  const [user, ...visitor] = author;
  const facts = join(visitor.map((value) => sql`${value}`));
  const activities = unionOf(
    told.map(
      ({ name, collection }) => sql`SELECT activity, ${collection} AS name, item FROM ${name}`,
    ),
  );
  const revisions = told.flatMap(({ rows, name, collection }) =>
    hasRevisions(rows.collection)
      ? [sql`SELECT id, activity, ${collection}, item, data, delta, parent FROM ${name}`]
      : [],
  );
  const revised =
    revisions.length === 0
      ? empty
      : sql`, h AS (INSERT INTO ${systemTable(schema, 'revisions')}
        (id, activity, collection, item, data, delta, parent) ${unionOf(revisions)})`;
  return sql`${join(entries, '')}, a AS (INSERT INTO ${systemTable(schema, 'activity')}
      (id, action, "user", ip, user_agent, origin, collection, item)
    SELECT e.activity, 'create', ${user}::uuid, ${facts}, e.name, e.item FROM (${activities}) AS e
    RETURNING id)${revised}`;
}
