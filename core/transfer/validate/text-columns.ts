/**
 * Checks staged values that only PostgreSQL can check: their columns are copied as text. Then each
 * text is converted to the type of the column, and rows with an invalid text are skipped.
 */
import pg from 'pg';
import { literal, raw, render, type Sql, sql } from '#core/database/sql.ts';
import { STAGING, stagingColumn } from '../copy/staging-table.ts';
import type { FileColumn } from '../file/file-column.ts';
import { REASON_DISPLAY_MAX, type RowFault, VALUE_DISPLAY_MAX } from '../file/row-fault.ts';
import type { ImportRun } from '../run/import-run.ts';
import { REJECTED_MAX } from '../run/rejected-rows.ts';
import { rowErrorFault } from './database-error.ts';
import { importFailureView } from './visible-faults.ts';

/** The number of faults to fetch at once. */
const BATCH = 20_000;
const REFUSED = sql`pg_temp.sluice_refused`;

/** A staging column that contains text, and its final type. */
export interface TextColumn {
  readonly place: number;
  readonly type: Sql;
}

/** Makes columns of the empty staging table accept any text. */
export async function relaxColumnTypes(
  { connection }: ImportRun,
  places: ReadonlySet<number>,
): Promise<TextColumn[]> {
  const columns: TextColumn[] = [];
  for (const place of places) {
    const { rows } = await connection.run(
      sql`SELECT format_type(atttypid, atttypmod) AS "type" FROM pg_attribute
        WHERE attrelid = ${'pg_temp.sluice_import'}::regclass AND attname = ${`c${place}`}`,
    );
    columns.push({ place, type: raw(String(rows[0]?.type)) });
    await connection.run(
      sql`ALTER TABLE ${STAGING} ALTER ${stagingColumn(place)} TYPE text USING NULL`,
    );
  }
  return columns;
}

/** Converts each text like an assignment, and records the invalid ones, up to `limit`. */
function readTexts({ place, type }: TextColumn, limit: number): Sql {
  const block = sql`
    DECLARE
      item record;
      value ${type};
      state text; message text; detail text; of_constraint text; of_type text;
      refused bigint := 0;
    BEGIN
      FOR item IN SELECT s."row", s.${stagingColumn(place)} AS content FROM ${STAGING} s
        WHERE s.${stagingColumn(place)} IS NOT NULL ORDER BY s."row"
      LOOP
        BEGIN
          value := item.content;
        EXCEPTION WHEN OTHERS THEN
          GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT,
            detail = PG_EXCEPTION_DETAIL, of_constraint = CONSTRAINT_NAME,
            of_type = PG_DATATYPE_NAME;
          -- Resources, an operator and the system do not concern a value.
          IF left(state, 2) IN ('53', '57', '58') THEN RAISE; END IF;
          INSERT INTO ${REFUSED} VALUES (item."row", ${raw(String(place))},
            left(item.content, ${raw(String(VALUE_DISPLAY_MAX + 1))}), state,
            left(message, ${raw(String(REASON_DISPLAY_MAX + 1))}),
            left(detail, ${raw(String(REASON_DISPLAY_MAX + 1))}), of_constraint, of_type);
          refused := refused + 1;
          EXIT WHEN refused = ${raw(String(limit))};
        END;
      END LOOP;
    END`;
  return sql`DO ${literal(render(block).text)}`;
}

function textOr(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** PostgreSQL's error for a text. */
function errorOf(found: Readonly<Record<string, unknown>>): pg.DatabaseError {
  const error = new pg.DatabaseError(String(found.message), 0, 'error');
  error.code = String(found.state);
  error.detail = textOr(found.detail);
  error.constraint = textOr(found.of_constraint);
  error.dataType = textOr(found.of_type);
  return error;
}

/**
 * Restores the types of the columns, and removes the rows with an invalid text.
 * @param report receives the faults in file order; it throws when there are too many
 * @returns how many rows were removed
 */
export async function restoreColumnTypes(
  run: ImportRun,
  columns: readonly FileColumn[],
  { texts, report }: { texts: readonly TextColumn[]; report: (fault: RowFault) => void },
): Promise<number> {
  if (texts.length === 0) return 0;
  const { connection, options, rejected } = run;
  await connection.run(sql`CREATE TEMPORARY TABLE sluice_refused ("row" int8, place int4,
    value text, state text, message text, detail text, of_constraint text, of_type text)
    ON COMMIT DROP`);
  const limit = rejected === null ? options.errorLimit : REJECTED_MAX + 1;
  for (const column of texts) await connection.run(readTexts(column, limit));
  await connection.run(
    sql`DECLARE sluice_faults NO SCROLL CURSOR FOR SELECT * FROM ${REFUSED} ORDER BY "row", place`,
  );
  const view = importFailureView(options);
  for (let fetched = BATCH; fetched === BATCH; ) {
    const { rows } = await connection.run(sql`FETCH ${raw(String(BATCH))} FROM sluice_faults`);
    fetched = rows.length;
    for (const found of rows) {
      const field = columns[Number(found.place)]?.name ?? null;
      const value = textOr(found.value) ?? '';
      report(rowErrorFault(errorOf(found), view, { row: Number(found.row), field, value }));
    }
  }
  const { rowCount } = await connection.run(
    sql`DELETE FROM ${STAGING} WHERE "row" IN (SELECT "row" FROM ${REFUSED})`,
  );
  await connection.run(sql`CLOSE sluice_faults`);
  await connection.run(sql`DROP TABLE ${REFUSED}`);
  for (const { place, type } of texts) {
    const name = stagingColumn(place);
    await connection.run(
      sql`ALTER TABLE ${STAGING} ALTER ${name} TYPE ${type} USING CAST(${name} AS ${type})`,
    );
  }
  return rowCount ?? 0;
}
