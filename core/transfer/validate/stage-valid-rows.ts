/**
 * Stages a file that is known to be faulty: checks each row before PostgreSQL does, reports all
 * faults, and stages only the valid rows.
 */

import { writeExactJson } from '#core/base/json/exact-json.ts';
import { sql } from '#core/database/sql.ts';
import { type TextCheck, textChecker } from '#core/model/values/check-value.ts';
import { stageFile } from '../copy/stage-file.ts';
import type { Staged } from '../copy/staging-table.ts';
import { MisplacedValue } from '../file/cell-text.ts';
import type { FileColumn } from '../file/file-column.ts';
import { memberFault } from '../file/import-file.ts';
import { displayValue, type RowFault, UnreadableFile } from '../file/row-fault.ts';
import type { Row, RowHandler } from '../file/row-reader.ts';
import { ImportRefused, type ImportRun } from '../run/import-run.ts';
import type { RejectedRows } from '../run/rejected-rows.ts';
import { copyContext, isRowError, rowErrorFault } from './database-error.ts';
import { MissingValueRows } from './missing-value-rows.ts';
import { relaxColumnTypes, restoreColumnTypes, type TextColumn } from './text-columns.ts';
import { importFailureView } from './visible-faults.ts';

/**
 * The maximum number of faults that only PostgreSQL can find, and without naming a column to check
 * later; each costs another pass over the file.
 */
const PASSES_MAX = 5;

class ReportFull extends Error {}

/** The faults of a rejected file, or those that are stored for the report of skipped rows. */
interface FaultList {
  /** It is not stored in memory. */
  readonly isEndless: boolean;
  readonly faults: readonly RowFault[];
  add(fault: RowFault): void;
  /** Counts a row as skipped. */
  count(): void;
}

function refusing(limit: number): FaultList {
  const faults: RowFault[] = [];
  return {
    isEndless: false,
    faults,
    add(fault) {
      faults.push(fault);
      if (faults.length >= limit) throw new ReportFull();
    },
    count: () => undefined,
  };
}

function skipping(rejected: RejectedRows): FaultList {
  return {
    isEndless: true,
    faults: [],
    add: (fault) => rejected.add(fault),
    count: () => rejected.count(1),
  };
}

/** Checks the rows of one pass. */
class Judge implements RowHandler {
  readonly list: FaultList;
  /** Numbers of the skipped rows, in ascending order. */
  readonly left: number[] = [];
  readonly #run: ImportRun;
  readonly #columns: readonly FileColumn[];
  readonly #checks: readonly TextCheck[];
  readonly #write: (row: Row) => void;
  readonly #known: ReadonlyMap<number | null, RowFault>;
  readonly #lacks: MissingValueRows;
  #faulty = 0;

  constructor(options: {
    run: ImportRun;
    columns: readonly FileColumn[];
    write: (row: Row) => void;
    list: FaultList;
    /** Faults that PostgreSQL found in earlier passes. */
    known: readonly RowFault[];
    lacks: MissingValueRows;
  }) {
    this.#run = options.run;
    this.#columns = options.columns;
    this.#checks = options.columns.map(({ field }) => textChecker(field));
    this.#write = options.write;
    this.#known = new Map(options.known.map((fault) => [fault.row, fault]));
    this.list = options.list;
    this.#lacks = options.lacks;
  }

  row(row: Row): void {
    const faulty = new Set<string>();
    for (const [place, { name }] of this.#columns.entries()) {
      const fault = this.#judge(row, place, name);
      if (fault === null) continue;
      faulty.add(name);
      this.#report(fault);
    }
    const known = this.#known.get(row.number);
    if (known !== undefined) this.#report(known);
    if (this.#faulty === row.number) {
      // Faulty rows are not staged, so the database cannot check which other values they lack.
      this.#lacks.add(row, faulty);
      if (this.list.isEndless) for (const fault of this.#lacks.takeCertain()) this.list.add(fault);
      this.#leave(row.number);
    } else {
      this.#write(row);
    }
  }

  #leave(row: number): void {
    this.left.push(row);
    this.list.count();
  }

  #judge(row: Row, place: number, field: string): RowFault | null {
    try {
      const value = row.value(place);
      if (value === undefined || value === null) return null;
      const fault = this.#checks[place]?.(value) ?? null;
      return fault === null
        ? null
        : { row: row.number, field, value: displayValue(value), ...fault };
    } catch (error) {
      if (!(error instanceof MisplacedValue)) throw error;
      const value = displayValue(writeExactJson(error.value));
      return { row: row.number, field, value, code: 'FAILED_VALIDATION', reason: error.reason };
    }
  }

  #report(fault: RowFault): void {
    this.#faulty = fault.row ?? 0;
    this.list.add(fault);
  }

  fault(fault: RowFault): void {
    this.#report(fault);
    if (fault.row !== null) this.#leave(fault.row);
  }

  skipped(row: number): void {
    this.left.push(row);
  }

  member(name: string, row: number): void {
    const { target, related } = this.#run;
    const fault = memberFault(target.collection, related, name, row);
    if (fault !== null) this.#report(fault);
  }

  /** The row number of the `nth` written row, from 1. */
  rowOf(nth: number): number {
    let row = nth;
    for (const left of this.left) {
      if (left > row) break;
      row += 1;
    }
    return row;
  }
}

/** The result of a pass. */
export interface ValidationPass {
  readonly staged: Staged;
  /** Rows without any value. */
  readonly skipped: number;
  readonly faults: readonly RowFault[];
}

function refused(faults: readonly RowFault[]): Error {
  const [first, ...rest] = faults;
  return first === undefined
    ? new Error('a refused file has faults')
    : new ImportRefused(first, ...rest);
}

/**
 * Stages the rows without faults.
 * @throws {ImportRefused} when the rest of the file cannot be read, or there are too many faults
 */
export async function stageValidRows(
  run: ImportRun,
  columns: readonly FileColumn[],
): Promise<ValidationPass> {
  const { rejected, options } = run;
  const known: RowFault[] = [];
  const mark = rejected?.mark();
  /** Indexes of columns whose values only PostgreSQL can check. */
  const places = new Set<number>();
  for (;;) {
    let judge: Judge | undefined;
    const lacks = new MissingValueRows(run.target, columns);
    const list = rejected === null ? refusing(options.errorLimit) : skipping(rejected);
    await run.connection.run(sql`SAVEPOINT judged`);
    try {
      let texts: readonly TextColumn[] = [];
      const { staged: copied, skipped } = await stageFile(run, columns, {
        prepare: async () => {
          texts = await relaxColumnTypes(run, places);
        },
        handler: (write) => {
          judge = new Judge({ run, columns, write, list, known, lacks });
          return judge;
        },
      });
      const removed = await restoreColumnTypes(run, columns, {
        texts,
        report: (fault) => list.add(fault),
      });
      for (let row = 0; row < removed; row += 1) list.count();
      const staged = { ...copied, rows: copied.rows - removed };
      const more = await lacks.faults(run, list.faults.length);
      if (rejected === null) return { staged, skipped, faults: [...list.faults, ...more] };
      for (const fault of more) list.add(fault);
      return { staged, skipped, faults: [] };
    } catch (error) {
      const { faults } = list;
      if (error instanceof ReportFull) throw refused(faults);
      if (error instanceof UnreadableFile) throw refused([...faults, error.fault]);
      if (!isRowError(error)) throw error;
      const context = copyContext(error);
      const place = placeOf(context);
      if (place !== null && !places.has(place)) {
        places.add(place);
      } else {
        const row = context === null ? null : (judge?.rowOf(context.line) ?? null);
        const fault = rowErrorFault(error, importFailureView(options), {
          row,
          field: place === null ? null : (columns[place]?.name ?? null),
          value: context?.value ?? null,
        });
        // A row without a number cannot be skipped in the next pass.
        if (row === null || known.length === PASSES_MAX) throw refused([...faults, fault]);
        known.push(fault);
      }
      await run.connection.run(sql`ROLLBACK TO SAVEPOINT judged`);
      if (mark !== undefined) rejected?.rewind(mark);
    }
  }
}

/** The index of the column that a value was copied into. */
function placeOf(context: { readonly field: string | null } | null): number | null {
  const place = /^c(\d+)$/.exec(context?.field ?? '')?.[1];
  return place === undefined ? null : Number(place);
}
