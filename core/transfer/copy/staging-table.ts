/**
 * The staging table of an import. It is temporary, and has the target's columns and the row
 * numbers. Flags mark the values that a row lacks: those stay unchanged, or take their default.
 */
import { bareType } from '#core/database/column-type.ts';
import { identifier, join, raw, type Sql, sql } from '#core/database/sql.ts';
import type { CopyText } from '../file/copy-text.ts';
import type { FileColumn } from '../file/file-column.ts';
import type { Row } from '../file/row-reader.ts';
import type { ImportTarget } from '../target/import-target.ts';

export const STAGING: Sql = identifier('pg_temp', 'sluice_import');

/** The content of the staging table. */
export interface Staged {
  readonly columns: readonly FileColumn[];
  /** Indexes of the columns that at least one row lacks. */
  readonly lacking: ReadonlySet<number>;
  readonly rows: number;
  /** The order of the keys proves that they are distinct. */
  readonly distinct: boolean;
}

/** The staging column for the file's column at index `place`. */
export function stagingColumn(place: number): Sql {
  return identifier(`c${place}`);
}

/** Creates the staging table; it is dropped with the transaction. */
export function createStaging(target: ImportTarget, columns: readonly FileColumn[]): Sql {
  const list = columns.map(({ name, field, reference }, place) => {
    if (reference !== undefined) {
      return sql`NULL::${bareType(field.column)} AS ${stagingColumn(place)}`;
    }
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

/** Writes rows for that COPY, and records facts that are needed later. */
export class StagingWriter {
  /** Indexes of the columns that at least one row lacks. */
  readonly lacking = new Set<number>();
  readonly #count: number;
  readonly #keyPlace: number | null;
  readonly #out: CopyText;
  readonly #absent: Uint8Array;
  #lastKey = Number.NEGATIVE_INFINITY;

  constructor(target: ImportTarget, columns: readonly FileColumn[], out: CopyText) {
    this.#count = columns.length;
    this.#keyPlace = wholeKeyIndex(target, columns);
    this.#out = out;
    this.#absent = new Uint8Array(columns.length);
  }

  /** Whether keys are strictly ascending: files are often sorted, and then keys are distinct. */
  get ascending(): boolean {
    return this.#keyPlace !== null && !Number.isNaN(this.#lastKey);
  }

  write(row: Row): void {
    const out = this.#out;
    const absent = this.#absent;
    let complete = true;
    out.integer(row.number);
    for (let place = 0; place < this.#count; place += 1) {
      out.tab();
      if (row.write(place, out)) continue;
      out.null();
      absent[place] = 1;
      this.lacking.add(place);
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
    if (this.#keyPlace !== null) {
      const key = row.integer(this.#keyPlace);
      this.#lastKey = key > this.#lastKey ? key : Number.NaN;
    }
  }
}

const WHOLE_TYPES = new Set(['int2', 'int4', 'int8']);

/** The index of a key that is a single integer. */
function wholeKeyIndex(target: ImportTarget, columns: readonly FileColumn[]): number | null {
  const [key, more] = target.key;
  if (key === undefined || more !== undefined) return null;
  const place = columns.findIndex(({ name }) => name === key.name);
  return place >= 0 && WHOLE_TYPES.has(key.column.typeName) ? place : null;
}

/** Whether the row of the staging table `s` lacks a value. */
export function isAbsent(place: number): Sql {
  return sql`coalesce(get_bit(s."absent", ${raw(String(place))}) = 1, false)`;
}

/** The value of the staging row `s`, or `otherwise` when the row lacks it. */
export function valueOr(staged: Staged, place: number, otherwise: Sql): Sql {
  const value = sql`s.${stagingColumn(place)}`;
  if (!staged.lacking.has(place)) return value;
  return sql`CASE WHEN ${isAbsent(place)} THEN ${otherwise} ELSE ${value} END`;
}
