/**
 * Writes the levels of a result. Related items are subselects per row. If these would scan a table
 * per row, all rows are materialized first, and one subselect per relation reads the related items
 * of all rows.
 */
import { empty, join, raw, type Sql, sql } from '#core/database/sql.ts';
import {
  type Aggregation,
  type AnyToOneBranch,
  type Entry,
  type Items,
  isAboveBatch,
  type LevelPlan,
} from '../plan/plan.ts';
import { aggregationSql } from './aggregate.ts';
import { formOutput, keySql, levelConditions, limitSql, ordered, range } from './clause.ts';
import { isJsonCell } from './csv-cell.ts';
import { guardSql, rowRule } from './expression.ts';
import {
  type GuardedShape,
  guardedShape,
  type LevelSql,
  type Output,
  type RowsSql,
  type StatementContext,
} from './level-shape.ts';
import { MaterializedRows, ownerColumns, POSITION } from './materialized-rows.ts';
import { objectSql, rowShape } from './row.ts';
import { guardOnce, rowsFrom } from './row-guard.ts';
import { countItems } from './size.ts';
import {
  anyEnds,
  childEnds,
  childrenSql,
  columnNamed,
  matchSql,
  refersTo,
  tableSql,
  whereSql,
} from './table.ts';

type EntryOf<K extends Entry['kind']> = Extract<Entry, { kind: K }>;

/** The related items of many parents, and how to match them with their parents. */
interface Batch {
  /** The columns of an item that identify its parent. */
  readonly owner: readonly Sql[];
  /** A SELECT of the parents' keys. */
  readonly keys: Sql;
  /** A parent has at most one item, which is the value; else the value is a list. */
  readonly single: boolean;
  /** Converts an item's object to the member of a list, or to the single value. */
  readonly member: (json: Sql) => Sql;
}

/** The position of a level's values: in each row, or beside the page of all its rows. */
class LevelWriter {
  readonly #level: LevelPlan;
  readonly #writing: StatementContext;
  readonly #page: MaterializedRows | null;

  constructor(level: LevelPlan, writing: StatementContext, page: MaterializedRows | null) {
    this.#level = level;
    this.#writing = writing;
    this.#page = page;
  }

  shape({ entries }: Items): GuardedShape {
    const asTexts = this.#writing.texts.has(this.#level);
    const values = [...entries].map(([key, entry]) => {
      const value = this.#entry(entry);
      return [key, asTexts && isJsonCell(entry) ? sql`to_json(${value})::text` : value] as const;
    });
    return guardedShape(this.#level, new Map(values), this.#writing);
  }

  get #output(): Output {
    const { root, outputs } = this.#writing;
    return this.#level === root ? outputs.root : outputs.below;
  }

  /** A value of the row, as an SQL expression for this level's select list. */
  #placed(value: Sql): Sql {
    return this.#page === null ? value : this.#page.keep(value);
  }

  #entry(entry: Entry): Sql {
    switch (entry.kind) {
      case 'value':
        return this.#placed(formOutput(entry, this.#output));
      case 'constant':
        return sql`${entry.text}::text`;
      case 'object':
        return objectSql(
          [...entry.entries].map(([key, inner]) => [key, this.#entry(inner)] as const),
        );
      case 'key':
        return this.#placed(keySql(entry));
      case 'one':
        return this.#guarded(entry, this.#one(entry));
      case 'list':
        return this.#guarded(entry, this.#list(entry));
      case 'count':
        return this.#guarded(entry, this.#count(entry));
      case 'any':
        return this.#guarded(entry, this.#any(entry));
    }
  }

  /** A value where the caller may see the field that leads to it, else null. */
  #guarded({ guard }: { readonly guard: EntryOf<'one'>['guard'] }, value: Sql): Sql {
    const seen = guardSql(guard);
    return seen === null ? value : sql`CASE WHEN ${this.#placed(seen)} THEN ${value} END`;
  }

  /** The page, if the level's items are read for all its rows at once. */
  #pageFor(level: LevelPlan): MaterializedRows | null {
    return level.atOnce ? this.#page : null;
  }

  #one({ relation, level }: EntryOf<'one'>): Sql {
    const { table } = this.#level;
    const page = this.#pageFor(level);
    const theirs = relation.one.columns;
    if (page === null) {
      const left = { table: level.table, columns: theirs };
      const right = { table, columns: relation.many.columns };
      const match = matchSql({ kind: 'ends', left, right });
      return this.#placed(objectJson(levelSql(level, [match], this.#writing)));
    }
    const keys = relation.many.columns.map((column) => columnNamed(table, column));
    const owner = theirs.map((column) => columnNamed(level.table, column));
    return this.#readSingle(page, level, { keys, owner });
  }

  #readSingle(
    page: MaterializedRows,
    level: LevelPlan,
    { keys, owner }: { readonly keys: readonly Sql[]; readonly owner: readonly Sql[] },
  ): Sql {
    return page.read(keys, (select) =>
      batchSql(level, { owner, keys: select, single: true, member: whole }, this.#writing),
    );
  }

  #list({ relation, level, keys: names }: EntryOf<'list'>): Sql {
    if (level === null) return sql`'[]'::json`;
    const { table } = this.#level;
    const member = names.length === 0 ? whole : (json: Sql) => memberKeys(json, names);
    const page = this.#pageFor(level);
    if (page === null) {
      const match = childrenSql(table, level.table, relation);
      const { rows, json } = levelSql(level, [match], this.#writing);
      return this.#placed(listJson({ rows, json: member(json) }, level, this.#writing));
    }
    const { keys, owner } = childEnds(table, level.table, relation);
    const value = page.read(keys, (select) =>
      batchSql(level, { owner, keys: select, single: false, member }, this.#writing),
    );
    return sql`coalesce(${value}, ${withoutItems(level, this.#writing) ?? sql`'[]'::json`})`;
  }

  /** The number of items per owner. */
  #count({ relation, table: child, form }: EntryOf<'count'>): Sql {
    const { keys, owner } = childEnds(this.#level.table, child, relation);
    const names = ownerColumns(owner.length);
    const columns = owner.map((column, index) => sql`${column} AS ${names[index]}`);
    const groups = owner.map((_, index) => raw(String(index + 1)));
    const page = this.#page;
    if (page === null) throw new TypeError('such a count is read for all rows at once');
    const counted = page.read(keys, (select) => {
      const where = whereSql([sql`(${join(owner)}) IN (${select})`, rowRule(child)]);
      return sql`SELECT ${join(columns)}, count(*)::int8 AS value FROM ${tableSql(child)}${where} GROUP BY ${join(groups)}`;
    });
    const count = sql`coalesce(${counted}, 0)`;
    return form === 'number' ? count : sql`${count}::text`;
  }

  #any(entry: EntryOf<'any'>): Sql {
    const { table } = this.#level;
    const { relation, branches } = entry;
    const key = () =>
      this.#placed(sql`to_json(${columnNamed(table, relation.many.columns[0] ?? '')})`);
    if (branches.length === 0) return key();
    const cases = branches.map(({ end, told }) => {
      const when = this.#placed(refersTo(table, relation, end.collection));
      if (told === 'nothing') return sql` WHEN ${when} THEN NULL::json`;
      return sql` WHEN ${when} THEN ${told === 'key' ? key() : this.#anyItem(entry, end, told)}`;
    });
    return sql`CASE${join(cases, '')} END`;
  }

  #anyItem({ relation }: EntryOf<'any'>, end: AnyToOneBranch['end'], level: LevelPlan): Sql {
    const { column, key } = anyEnds(this.#level.table, level.table, relation, end);
    const page = this.#pageFor(level);
    if (page !== null) return this.#readSingle(page, level, { keys: [key], owner: [column] });
    return this.#placed(objectJson(levelSql(level, [sql`${column} = ${key}`], this.#writing)));
  }
}

function whole(json: Sql): Sql {
  return json;
}

/** A SELECT whose values are computed once per row, even if they are used several times. */
function once(rows: Sql): Sql {
  return sql`${rows} OFFSET 0`;
}

function memberKeys(json: Sql, names: readonly string[]): Sql {
  const values = names.map((name) => sql`${json} -> ${name}::text`);
  return names.length === 1 ? join(values) : sql`json_build_array(${join(values)})`;
}

/** Rows as one JSON list. */
function listJson(
  { rows, json }: LevelSql,
  { limit }: LevelPlan,
  { bounds }: StatementContext,
): Sql {
  const { nestedItems } = bounds;
  const list = countItems(bounds, sql`count(*)`, sql`coalesce(json_agg(${json}), '[]')`);
  // A list without a limit stops at the first item beyond the maximum.
  const isEndless = nestedItems !== null && limit === null;
  const most = isEndless ? sql` LIMIT ${raw(String(nestedItems + 1))}` : empty;
  return sql`(SELECT ${list} FROM (${rows}${most}) AS r)`;
}

/** The single row as a JSON object; null without a row. */
function objectJson({ rows, json }: LevelSql): Sql {
  return sql`(SELECT ${json} FROM (${rows}) AS r)`;
}

function aggregatedSql(
  level: LevelPlan,
  content: Aggregation,
  where: Sql,
  writing: StatementContext,
): RowsSql {
  const { values, joins, groups, orderBy } = aggregationSql(content, writing.aliases);
  const { columns, ...shape } = guardedShape(level, values, writing);
  const groupBy = groups.length === 0 ? empty : sql` GROUP BY ${join(groups)}`;
  const rows = sql`SELECT ${columns} FROM ${tableSql(level.table)}${joins}${where}${groupBy}${orderBy}${limitSql(level, writing.knownLimits)}`;
  return { rows, ...shape };
}

/**
 * Writes a level whose rows are read per parent.
 * @param conditions restrict the rows to their parent or to their keys
 */
function levelSql(
  level: LevelPlan,
  conditions: readonly Sql[],
  writing: StatementContext,
): RowsSql {
  const { content, table } = level;
  const where = whereSql([...conditions, ...levelConditions(level)]);
  if (content.kind === 'groups') return aggregatedSql(level, content, where, writing);
  const { content: items, beside } = guardOnce(table, content, writing.aliases);
  const { columns, ...shape } = new LevelWriter(level, writing, null).shape(items);
  const rows = sql`SELECT ${columns} FROM ${rowsFrom(level, items, { where, beside }, writing.knownLimits)}`;
  return { rows: content.order === null ? once(rows) : rows, ...shape };
}

/** Writes the level at the root of a statement. */
export function rootSql(
  level: LevelPlan,
  conditions: readonly Sql[],
  writing: StatementContext,
): RowsSql {
  const { content, table } = level;
  if (content.kind === 'groups' || !isAboveBatch(level)) {
    return levelSql(level, conditions, writing);
  }
  const where = whereSql([...conditions, ...levelConditions(level)]);
  const page = new MaterializedRows(writing.aliases);
  const { content: items, beside } = guardOnce(table, content, writing.aliases);
  const { columns, ...shape } = new LevelWriter(level, writing, page).shape(items);
  const rows = sql`SELECT ${page.columns} FROM ${rowsFrom(level, items, { where, beside }, writing.knownLimits)}`;
  if (content.order === null) {
    return { ...shape, rows: sql`${page.with(rows)} SELECT ${columns} FROM ${page.from}` };
  }
  const numbered = sql`SELECT p.*, row_number() OVER () AS ${POSITION} FROM (${rows}) AS p`;
  return {
    ...shape,
    rows: sql`${page.with(numbered)} SELECT ${columns} FROM ${page.from} ORDER BY ${page.name}.${POSITION}`,
  };
}

// Related items of all parents

function ownersSql(batch: Batch): Sql {
  const names = ownerColumns(batch.owner.length);
  return join(batch.owner.map((column, index) => sql`${column} AS ${names[index]}`));
}

/** `GROUP BY` the first columns of the select. */
function groupBy(batch: Batch): Sql {
  return sql` GROUP BY ${join(batch.owner.map((_, index) => raw(String(index + 1))))}`;
}

function batchWhere(level: LevelPlan, batch: Batch): Sql {
  const owned = sql`(${join(batch.owner)}) IN (${batch.keys})`;
  return whereSql([owned, ...levelConditions(level)]);
}

/** A name that no column of the level's table has. */
function freeName({ table }: LevelPlan): Sql {
  const taken = new Set(table.collection.table?.columns.map((column) => column.name));
  let name = 'position';
  while (taken.has(name)) name += '_';
  return raw(name);
}

/** The source of rows under the table's alias, and their position in the order. */
interface Source {
  readonly from: Sql;
  readonly where: Sql;
  readonly position: Sql | null;
}

function sourceOf(level: LevelPlan, content: Items, batch: Batch): Source {
  const where = batchWhere(level, batch);
  if (batch.single) return { from: tableSql(level.table), where, position: null };
  const alias = raw(level.table.alias);
  const name = freeName(level);
  const position = sql`${alias}.${name}`;
  const { joins, orderBy } = ordered(content);
  const numbered = sql`SELECT ${alias}.*, row_number() OVER (PARTITION BY ${join(batch.owner)}${orderBy}) AS ${name} FROM ${tableSql(level.table)}${joins}${where}`;
  return { from: sql`(${numbered}) AS ${alias}`, where: range(position, level), position };
}

function batchValue(
  batch: Batch,
  json: Sql,
  position: Sql | null,
  { bounds }: StatementContext,
): Sql {
  const member = batch.member(json);
  if (position === null) return member;
  // Several lists are built at the same time, so that each item is counted individually.
  return sql`json_agg(${countItems(bounds, sql`1`, member)} ORDER BY ${position})`;
}

function batchOfItems(
  level: LevelPlan,
  content: Items,
  batch: Batch,
  writing: StatementContext,
): Sql {
  const page = isAboveBatch(level) ? new MaterializedRows(writing.aliases) : null;
  const { content: items, beside } = guardOnce(level.table, content, writing.aliases);
  const { columns, json } = new LevelWriter(level, writing, page).shape(items);
  const { from: bare, where, position } = sourceOf(level, content, batch);
  const from = sql`${bare}${beside ?? empty}`;
  const group = position === null ? empty : groupBy(batch);
  if (page === null) {
    const value = batchValue(batch, json, position, writing);
    return sql`SELECT ${ownersSql(batch)}, ${value} AS value FROM ${from} CROSS JOIN LATERAL (${once(sql`SELECT ${columns}`)}) AS r${where}${group}`;
  }
  const numbered = position === null ? empty : sql`, ${position} AS ${POSITION}`;
  const rows = sql`SELECT ${ownersSql(batch)}, ${page.columns}${numbered} FROM ${from}${where}`;
  const owners = ownerColumns(batch.owner.length).map((name) => sql`${page.name}.${name}`);
  const value = batchValue(batch, json, position && sql`${page.name}.${POSITION}`, writing);
  return sql`${page.with(rows)} SELECT ${join(owners)}, ${value} AS value FROM ${page.from} CROSS JOIN LATERAL (${once(sql`SELECT ${columns}`)}) AS r${group}`;
}

/** The result of aggregates for a parent without items; null when they yield no rows then. */
function withoutItems(level: LevelPlan, writing: StatementContext): Sql | null {
  const { content, limit, offset, table, ownNames } = level;
  if (content.kind === 'items' || content.groups.length > 0) return null;
  const { values, joins } = aggregationSql(content, writing.aliases);
  const { columns, json } = rowShape(values, ownNames);
  const limited = limit === null ? empty : sql` LIMIT ${limit}::int8`;
  const rows = sql`SELECT ${columns} FROM ${tableSql(table)}${joins} WHERE FALSE${limited} OFFSET ${offset}::int8`;
  return sql`(SELECT coalesce(json_agg(${json}), '[]') FROM (${rows}) AS r)`;
}

function batchOfGroups(
  level: LevelPlan,
  content: Aggregation,
  batch: Batch,
  writing: StatementContext,
) {
  const { values, joins, groups, orderBy } = aggregationSql(content, writing.aliases);
  const alias = raw(writing.aliases.next());
  const entries = [...values];
  const kept = entries.map(([, value], index) => sql`, ${value} AS ${raw(`c${index}`)}`);
  const { columns, json } = guardedShape(
    level,
    new Map(entries.map(([key], index) => [key, sql`${alias}.${raw(`c${index}`)}`])),
    writing,
  );
  const owner = join(batch.owner);
  const grouped = groups.length === 0 ? owner : sql`${owner}, ${join(groups)}`;
  const where = batchWhere(level, batch);
  const rows = sql`SELECT ${ownersSql(batch)}, row_number() OVER (PARTITION BY ${owner}${orderBy}) AS ${POSITION}${join(kept, '')} FROM ${tableSql(level.table)}${joins}${where} GROUP BY ${grouped}`;
  const position = sql`${alias}.${POSITION}`;
  const owners = ownerColumns(batch.owner.length).map((name) => sql`${alias}.${name}`);
  const value = batchValue(batch, json, position, writing);
  return sql`SELECT ${join(owners)}, ${value} AS value FROM (${rows}) AS ${alias} CROSS JOIN LATERAL (${once(sql`SELECT ${columns}`)}) AS r${range(position, level)}${groupBy(batch)}`;
}

/** A SELECT with one row per parent that has items; its columns are the owner's and `value`. */
function batchSql(level: LevelPlan, batch: Batch, writing: StatementContext): Sql {
  const { content } = level;
  return content.kind === 'groups'
    ? batchOfGroups(level, content, batch, writing)
    : batchOfItems(level, content, batch, writing);
}
