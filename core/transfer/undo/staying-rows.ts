/**
 * Finds the kept rows that stay as they are: that the caller may not change back, that somebody
 * changed or deleted since, and to which other rows refer.
 */
import * as v from 'valibot';
import { forbidden } from '#core/base/errors/service-error.ts';
import { identifier, join, quote, type Sql, sql } from '#core/database/sql.ts';
import { rowsWithRuleResults } from '#core/read/sql/table-rows.ts';
import { coveringPermissions, requireAction } from '#core/write/check-permissions.ts';
import { rowHash } from '../target/kept-changes.ts';
import {
  FORMER_ROW,
  isTaken,
  KEPT_ROWS,
  keyColumn,
  STAYING,
  sameItem,
  type UndoRun,
} from './undo-run.ts';

/** Lets rows stay, unless they do already. @returns how many more rows stay */
async function stay({ connection }: UndoRun, code: string, rows: Sql): Promise<number> {
  const { rowCount } = await connection.run(sql`INSERT INTO ${STAYING}
    SELECT DISTINCT u."row", ${code}::text FROM ${rows} ON CONFLICT DO NOTHING`);
  return rowCount ?? 0;
}

type Lists = readonly (readonly { readonly rule: UndoRule | null }[])[];
type UndoRule = Parameters<typeof rowsWithRuleResults>[1][number];

/**
 * The permissions that a row needs, one of each list; without a list it needs none.
 * @throws {ServiceError} FORBIDDEN when no permission covers it
 */
function neededFor({ write, kept }: UndoRun, isNew: boolean): Lists {
  if ((isNew ? kept.inserted : kept.updated) === 0) return [];
  const { rights } = write.target;
  requireAction(write, isNew ? 'delete' : 'update');
  const { name, primaryKey } = write.collection;
  if (isNew) return coveringPermissions(rights.of(name, 'delete'), []) ?? [];
  const key = new Set(primaryKey.map((field) => field.name));
  const members = kept.written.filter((member) => !key.has(member));
  const lists = coveringPermissions(rights.of(name, 'update'), members);
  if (lists === null) throw forbidden();
  return lists;
}

/** Lets rows stay that the caller may not delete or update. @throws {ServiceError} FORBIDDEN */
async function stayForbidden(run: UndoRun, isNew: boolean): Promise<void> {
  const { write, key } = run;
  const lists = neededFor(run, isNew);
  if (lists.length === 0) return;
  const rules = [...new Set(lists.flat().flatMap(({ rule }) => (rule === null ? [] : [rule])))];
  const ruled = { ...write.target, collection: write.collection.name };
  const table = rowsWithRuleResults(ruled, rules, write.now);
  const holds = (rule: UndoRule | null) =>
    rule === null ? sql`TRUE` : (table.verdicts[rules.indexOf(rule)] ?? sql`FALSE`);
  const isAllowed = lists.map(
    (list) =>
      sql`(${join(
        list.map(({ rule }) => holds(rule)),
        ' OR ',
      )})`,
  );
  const same = key.map(({ name }, place) => sql`${table.column(name)} = u.${keyColumn(place)}`);
  await stay(
    run,
    'undo_item_forbidden',
    sql`${table.from}, ${KEPT_ROWS} u WHERE ${join(same, ' AND ')} AND u."isNew" = ${isNew}
      AND NOT (${join(isAllowed, ' AND ')})`,
  );
}

const references = v.array(
  v.object({
    schema: v.string(),
    table: v.string(),
    own: v.boolean(),
    columns: v.array(v.string()),
    targets: v.array(v.string()),
    acts: v.boolean(),
  }),
);
type Reference = v.InferOutput<typeof references>[number];

/** The foreign keys that refer to the table. */
async function referencesTo({ connection, collection }: UndoRun): Promise<readonly Reference[]> {
  const { schema, name } = collection.table;
  const table = sql`${`${quote(schema)}.${quote(name)}`}::text::regclass`;
  const names = (relation: Sql, numbers: Sql) =>
    sql`(SELECT json_agg(a.attname ORDER BY n.place) FROM unnest(${numbers}) WITH ORDINALITY n (number, place)
      JOIN pg_attribute a ON a.attrelid = ${relation} AND a.attnum = n.number)`;
  const { rows } = await connection.run(sql`SELECT s.nspname AS "schema", c.relname AS "table",
      f.conrelid = f.confrelid AS "own", ${names(sql`f.conrelid`, sql`f.conkey`)} AS "columns",
      ${names(sql`f.confrelid`, sql`f.confkey`)} AS "targets",
      f.confdeltype IN ('c', 'n', 'd') OR f.confupdtype IN ('c', 'n', 'd') AS "acts"
    FROM pg_constraint f JOIN pg_class c ON c.oid = f.conrelid
      JOIN pg_namespace s ON s.oid = c.relnamespace
    WHERE f.contype = 'f' AND f.confrelid = ${table} AND f.conparentid = 0 ORDER BY 1, 2, f.conname`);
  return v.parse(references, rows);
}

/** Lets new rows stay to which other rows refer, which themselves stay. */
async function stayReferenced(run: UndoRun, reference: Reference): Promise<number> {
  const { name, key, columns } = run;
  const refers = reference.columns.map(
    (column, place) =>
      sql`${identifier('c', column)} = ${identifier('t', reference.targets[place] ?? '')}`,
  );
  const isBack = sql`EXISTS (SELECT FROM ${KEPT_ROWS} o
    WHERE ${sameItem(key, 'c', 'o')} AND ${isTaken('o')})`;
  const child = sql`SELECT FROM ${identifier(reference.schema, reference.table)} c
    WHERE ${join(refers, ' AND ')} ${reference.own ? sql`AND NOT ${isBack}` : sql``}`;
  // A reference to a former value is followed by the database.
  const own = new Set(key.map((part) => part.name));
  const moved = columns
    .filter((column) => reference.targets.includes(column.name) && !own.has(column.name))
    .map(
      (column) => sql`${identifier('t', column.name)} IS DISTINCT FROM
        (CAST(u."old" AS ${FORMER_ROW})).${identifier(column.name)}`,
    );
  const isLost = moved.length === 0 ? sql`u."isNew"` : sql`(u."isNew" OR ${join(moved, ' OR ')})`;
  return await stay(
    run,
    'undo_item_referenced',
    sql`${KEPT_ROWS} u JOIN ${name} t ON ${sameItem(key, 't', 'u')}
      WHERE ${isLost} AND ${isTaken('u')} AND EXISTS (${child})`,
  );
}

/**
 * Whether all rows that have not changed since may be changed back: no rule and no reference holds
 * one. @throws {ServiceError} FORBIDDEN when the caller may delete or update no rows at all
 */
export async function isUnrestricted(run: UndoRun): Promise<boolean> {
  const lists = [...neededFor(run, true), ...neededFor(run, false)];
  return lists.length === 0 && (await referencesTo(run)).length === 0;
}

/**
 * Finds all rows that stay. Tables whose rows the database would delete or change together with
 * referenced rows are locked against other writers until the undo ends.
 * @throws {ServiceError} FORBIDDEN as {@link isUnrestricted}
 */
export async function findStayingRows(run: UndoRun): Promise<void> {
  const { connection, name, key, columns } = run;
  await stayForbidden(run, true);
  await stayForbidden(run, false);
  const [first] = key.map((part) => identifier('t', part.name));
  const found = sql`${KEPT_ROWS} u LEFT JOIN ${name} t ON ${sameItem(key, 't', 'u')}`;
  await stay(run, 'undo_item_deleted', sql`${found} WHERE ${first ?? sql`NULL`} IS NULL`);
  await stay(
    run,
    'undo_item_changed',
    sql`${found}
    WHERE u."hash" IS DISTINCT FROM ${rowHash('t', columns)}`,
  );
  const all = await referencesTo(run);
  for (const { schema, table, acts } of all) {
    if (!acts) continue;
    await connection.run(sql`LOCK TABLE ${identifier(schema, table)} IN SHARE ROW EXCLUSIVE MODE`);
  }
  const own = all.filter((reference) => reference.own);
  for (const reference of all) await stayReferenced(run, reference);
  // A row that stays may refer to another one.
  for (let more = own.length > 0; more; ) {
    let found = 0;
    for (const reference of own) found += await stayReferenced(run, reference);
    more = found > 0;
  }
}
