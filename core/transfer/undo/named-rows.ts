/** The rows that an undo leaves as they are, as its report names them. */
import { failureView } from '#core/access/error-visibility.ts';
import { type Reason, reason } from '#core/base/errors/reason.ts';
import { sql } from '#core/database/sql.ts';
import { type ReadableRows, readableRows } from '#core/read/sql/table-rows.ts';
import { displayValue, type RowFault } from '../file/row-fault.ts';
import { keyText } from '../target/kept-changes.ts';
import { rowErrorFault } from '../validate/database-error.ts';
import { KEPT_ROWS, keyColumn, STAYING, type UndoRun } from './undo-run.ts';
import type { WrittenBack } from './write-back.ts';

/** The reasons of {@link STAYING}, and the codes of their errors. */
const REASONS: Readonly<Record<string, readonly [RowFault['code'], Reason]>> = {
  undo_item_forbidden: ['FORBIDDEN', reason('undo_item_forbidden')],
  undo_item_deleted: ['CONFLICT', reason('undo_item_deleted')],
  undo_item_changed: ['CONFLICT', reason('undo_item_changed')],
  undo_item_referenced: ['INVALID_FOREIGN_KEY', reason('undo_item_referenced')],
};

/** Which rows the caller may read with their keys; null: none. */
function readableKeys({ write, collection }: UndoRun): ReadableRows | null {
  const { rights } = write.target;
  const permissions = rights.of(collection.name, 'read');
  const key = collection.primaryKey.map(({ name }) => name);
  const isShown = permissions.every(
    ({ fields }) => fields === null || key.every((name) => fields.has(name)),
  );
  if (permissions.length === 0 || !isShown) return null;
  return readableRows({ ...write.target, collection: collection.name });
}

/** The keys of kept rows by row, as far as the caller may read them. */
async function keysOf(run: UndoRun, rows: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const { connection, key, write } = run;
  const readable = readableKeys(run);
  if (readable === null || rows.length === 0) return new Map();
  const parts = key.map((part, place) => ({ ...part, name: `k${place}` }));
  const chosen = sql`u."row" = ANY (${rows}::int8[])`;
  const text = sql`SELECT u."row"::float8 AS "row", ${keyText('u', parts)} AS "key"`;
  const same = key.map(({ name }, place) => sql`${readable.column(name)} = u.${keyColumn(place)}`);
  // Rows that are gone can only be named if no row is hidden.
  const isAll = write.target.rights.admin || readable.condition === null;
  const found = await connection.run(
    isAll
      ? sql`${text} FROM ${KEPT_ROWS} u WHERE ${chosen}`
      : sql`${text} FROM ${readable.from}, ${KEPT_ROWS} u${readable.where([chosen, ...same])}`,
  );
  return new Map(found.rows.map((row) => [Number(row.row), String(row.key)]));
}

/** The reports of an undo: the number of rows by reason, and the first of them. */
export interface NamedRows {
  readonly reasons: Readonly<Record<string, number>>;
  readonly faults: readonly RowFault[];
}

/** Names the rows that stay. */
export async function namedRows(run: UndoRun, { refused }: WrittenBack): Promise<NamedRows> {
  const { connection, options, collection, write } = run;
  const { rows: counted } = await connection.run(
    sql`SELECT "code", count(*)::float8 AS "rows" FROM ${STAYING} GROUP BY 1 ORDER BY 1`,
  );
  const reasons: Record<string, number> = {};
  for (const { code, rows } of counted) reasons[String(code)] = Number(rows);
  const { rows: staying } = await connection.run(sql`SELECT y."row"::float8 AS "row", y."code"
    FROM ${STAYING} y ORDER BY 1 LIMIT ${options.namedMax}`);
  const faults: RowFault[] = staying.map(({ row, code }) => {
    const [error, why] = REASONS[String(code)] ?? ['CONFLICT', reason('undo_item_changed')];
    return { row: Number(row), field: null, value: null, code: error, reason: why };
  });
  const view = failureView(write.target, true);
  for (const { row, failure } of refused) {
    const fault = rowErrorFault(failure, view, { row });
    const code = fault.reason.code ?? fault.code;
    reasons[code] = (reasons[code] ?? 0) + 1;
    faults.push({ ...fault, value: null });
  }
  const named = faults.slice(0, options.namedMax);
  const keys = await keysOf(
    run,
    named.flatMap(({ row }) => (row === null ? [] : [row])),
  );
  const field = collection.primaryKey.map(({ name }) => name).join(',');
  return {
    reasons,
    faults: named.map((fault) => {
      const key = fault.row === null ? undefined : keys.get(fault.row);
      return { ...fault, row: null, ...(key !== undefined && { field, value: displayValue(key) }) };
    }),
  };
}
