/** Advances the sequences of imported columns beyond the imported values, never backwards. */
import { identifier, quote, type Sql, sql } from '#core/database/sql.ts';
import { stagingColumn } from '../copy/staging-table.ts';
import type { FileColumn } from '../file/file-column.ts';
import type { ImportConnection } from '../target/import-connection.ts';
import type { ImportTarget } from '../target/import-target.ts';

function moveStatement(sequence: readonly [string, string], values: Sql): Sql {
  const [schema, name] = sequence;
  const qualified = `${quote(schema)}.${quote(name)}`;
  return sql`SELECT setval(${qualified}::regclass,
      CASE WHEN p.increment_by > 0 THEN least(k.high, p.max_value)
        ELSE greatest(k.low, p.min_value) END)
    FROM pg_sequences p, (${values}) k
    WHERE p.schemaname = ${schema} AND p.sequencename = ${name}
      AND has_sequence_privilege(${qualified}::text, 'UPDATE')
      AND CASE WHEN p.increment_by > 0 THEN k.high > coalesce(p.last_value, p.start_value - 1)
        ELSE k.low < coalesce(p.last_value, p.start_value + 1) END`;
}

/**
 * Advances each sequence that a column of the file owns.
 * @param staged the source of the values, with the columns of the staging table; null: the file is
 * the whole content of the target
 */
export async function moveSequences(
  connection: ImportConnection,
  target: ImportTarget,
  columns: readonly FileColumn[],
  staged: Sql | null,
): Promise<void> {
  for (const [place, { name, field }] of columns.entries()) {
    const { sequence } = field.column;
    if (sequence === null) continue;
    const value = staged === null ? identifier(name) : stagingColumn(place);
    const from = staged === null ? target.name : sql`${staged} s`;
    await connection.run(
      moveStatement(
        sequence,
        sql`SELECT max(${value})::int8 AS high, min(${value})::int8 AS low FROM ${from}`,
      ),
    );
  }
}
