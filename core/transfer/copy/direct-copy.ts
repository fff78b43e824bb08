/**
 * The direct path of an import: COPY into the table, possible only where no key can collide.
 * Otherwise the staging table is used.
 */
import pg from 'pg';
import { identifier, join, raw, type Sql, sql } from '#core/database/sql.ts';
import { SQLSTATE } from '#core/database/sqlstate.ts';
import { type CopyText, DEFAULT_MARKER } from '../file/copy-text.ts';
import type { FileColumn } from '../file/file-column.ts';
import type { Row } from '../file/row-reader.ts';
import type { ImportConnection } from '../target/import-connection.ts';
import type { ImportTarget } from '../target/import-target.ts';

/** Timeout for the lock on an empty table; writers that use it would fill it anyway. */
const LOCK_WAIT = '250ms';

/** Thrown for a row that COPY cannot express: it has no value for a column with a default. */
export class DirectCopyImpossible extends Error {}

/** The COPY into the table. */
export function copyToTarget(target: ImportTarget, columns: readonly FileColumn[]): Sql {
  const list = join(columns.map(({ name }) => identifier(name)));
  const option = target.copyDefault ? raw(`, DEFAULT '${DEFAULT_MARKER}'`) : raw('');
  return sql`COPY ${target.name} (${list}) FROM STDIN (ENCODING 'UTF8'${option})`;
}

/** Creates the writer of rows for that COPY. @throws {DirectCopyImpossible} from the writer */
export function directWriter(
  target: ImportTarget,
  columns: readonly FileColumn[],
  out: CopyText,
): { write(row: Row): void } {
  const hasDefault = columns.map(({ name }) => target.defaults.has(name));
  return {
    write(row) {
      for (let place = 0; place < columns.length; place += 1) {
        if (place > 0) out.tab();
        if (row.write(place, out)) continue;
        if (hasDefault[place] !== true) out.null();
        else if (target.copyDefault) out.default();
        else throw new DirectCopyImpossible();
      }
      out.endRow();
    },
  };
}

/**
 * Whether key collisions are impossible or allowed. Either the database generates all keys, or the
 * table is empty and, from here on, locked against other writers until the transaction ends.
 */
export async function canCopyDirectly(
  connection: ImportConnection,
  target: ImportTarget,
  columns: readonly FileColumn[],
): Promise<boolean> {
  if (target.mode === 'update') return false;
  // The insert of an existing key fails, as required.
  if (target.mode === 'insert') return true;
  // Without a value in the key, COPY would insert the row.
  const isComplete = ({ name }: { readonly name: string }) =>
    target.required.has(name) && !target.defaults.has(name);
  if (target.fixed.size > 0 && !target.key.every(isComplete)) return false;
  const names = new Set(columns.map((column) => column.name));
  const given = target.key.filter((field) => names.has(field.name));
  if (given.length === 0) return true;
  // COPY would write values into GENERATED ALWAYS columns.
  if (given.some((field) => field.column.identity === 'always')) return false;
  if (await isFilled(connection, target)) return false;
  await connection.run(sql`SELECT set_config('lock_timeout', ${LOCK_WAIT}, true)`);
  try {
    await connection.run(sql`LOCK TABLE ${target.name} IN SHARE ROW EXCLUSIVE MODE`);
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === SQLSTATE.lockNotAvailable) return false;
    throw error;
  }
  await connection.run(sql`SELECT set_config('lock_timeout', '0', true)`);
  return !(await isFilled(connection, target));
}

async function isFilled(connection: ImportConnection, target: ImportTarget): Promise<boolean> {
  const { rows } = await connection.run(
    sql`SELECT EXISTS (SELECT FROM ${target.name}) AS "filled"`,
  );
  return rows[0]?.filled === true;
}
