/**
 * The staging table of an import: temporary, with the columns of the target, the number of each
 * row, and which values a row does not have (those stay as they are, or take their default).
 */
import { identifier, join, raw, type Sql, sql } from '#core/database/sql.ts';
import type { FileColumn } from './column.ts';
import type { CopyText } from './copy-text.ts';
import type { Row } from './row.ts';
import type { Target } from './target.ts';

export const STAGING: Sql = identifier('pg_temp', 'sluice_import');

/** What stands in the staging table. */
export interface Staged {
  readonly columns: readonly FileColumn[];
  /** Places of the columns that at least one row does not have. */
  readonly lacking: ReadonlySet<number>;
  /** Rows that count: of several with the same key only the last. */
  readonly rows: number;
}

/** The staging column of the file's column at `place`. */
export function stagingColumn(place: number): Sql {
  return identifier(`c${place}`);
}

/** Makes the staging table; it ends with the transaction. */
export function createStaging(target: Target, columns: readonly FileColumn[]): Sql {
  const list = columns.map(({ name }, place) => {
    const loose = target.looseTypes.get(name);
    const value = identifier('t', name);
    const typed = loose === undefined ? value : sql`CAST(${value} AS ${loose})`;
    return sql`${typed} AS ${stagingColumn(place)}`;
  });
  return sql`CREATE TEMPORARY TABLE sluice_import ON COMMIT DROP AS
    SELECT 0::int8 AS "row", ${join(list)}, NULL::varbit AS "absent"
    FROM ${target.name} t WITH NO DATA`;
}

/** The COPY that fills it. */
export function copyToStaging(columns: readonly FileColumn[]): Sql {
  const list = columns.map((_, place) => stagingColumn(place));
  return sql`COPY ${STAGING} ("row", ${join(list)}, "absent") FROM STDIN (ENCODING 'UTF8')`;
}

/**
 * Makes the writer of rows for that COPY.
 * @param lacking takes the places of columns that a row does not have
 */
export function stagingWriter(
  count: number,
  out: CopyText,
  lacking: Set<number>,
): (row: Row) => void {
  const absent = new Uint8Array(count);
  return (row) => {
    let complete = true;
    out.integer(row.number);
    for (let place = 0; place < count; place += 1) {
      out.tab();
      if (row.write(place, out)) continue;
      out.null();
      absent[place] = 1;
      lacking.add(place);
      complete = false;
    }
    out.tab();
    if (complete) {
      out.null();
    } else {
      out.bits(absent);
      absent.fill(0);
    }
    out.endRow();
  };
}

/** Whether the row of the staging table `s` does not have a value. */
export function isAbsent(place: number): Sql {
  return sql`coalesce(get_bit(s."absent", ${raw(String(place))}) = 1, false)`;
}

/** The value of the staging row `s`, or `otherwise` where the row does not have it. */
export function valueOr(staged: Staged, place: number, otherwise: Sql): Sql {
  const value = sql`s.${stagingColumn(place)}`;
  if (!staged.lacking.has(place)) return value;
  return sql`CASE WHEN ${isAbsent(place)} THEN ${otherwise} ELSE ${value} END`;
}
