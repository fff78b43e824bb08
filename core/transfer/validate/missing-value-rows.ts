/**
 * Finds the required values that faulty rows lack. Those rows are not staged, so they are checked
 * here: a row lacks a value when it is null, or when it is absent and the item is new.
 */

import { reason } from '#core/base/errors/reason.ts';
import { bareType } from '#core/database/column-type.ts';
import { identifier, join, raw, sql } from '#core/database/sql.ts';
import { MisplacedValue } from '../file/cell-text.ts';
import type { FileColumn } from '../file/file-column.ts';
import type { RowFault } from '../file/row-fault.ts';
import type { Row } from '../file/row-reader.ts';
import type { ImportRun } from '../run/import-run.ts';
import type { ImportTarget } from '../target/import-target.ts';
import { isRowError } from './database-error.ts';

/** A row that may lack values, and its key; null when its item is new in any case. */
interface Candidate {
  readonly row: number;
  readonly fields: readonly string[];
  readonly key: readonly string[] | null;
}

const NO_DEFAULT = reason('value_missing_without_default');

function lack(row: number, field: string): RowFault {
  return { row, field, value: null, code: 'NOT_NULL_VIOLATION', reason: NO_DEFAULT };
}

function readValue(row: Row, place: number): string | null | undefined {
  if (place < 0) return undefined;
  try {
    return row.value(place);
  } catch (error) {
    if (error instanceof MisplacedValue) return '';
    throw error;
  }
}

/** The maximum number of rows to check in the database. */
const CANDIDATES_MAX = 10_000;

/** Collects rows of one pass; their number is limited like that of the faults. */
export class MissingValueRows {
  readonly #target: ImportTarget;
  /** Required columns, with their index in the file or -1. */
  readonly #required: readonly { readonly name: string; readonly place: number }[];
  readonly #key: readonly number[];
  #certain: RowFault[] = [];
  readonly #candidates: Candidate[] = [];

  constructor(target: ImportTarget, columns: readonly FileColumn[]) {
    const placeOf = (name: string) => columns.findIndex((column) => column.name === name);
    const key = target.key.map(({ name }) => name);
    this.#target = target;
    this.#key = key.map(placeOf);
    this.#required = [...target.required]
      .filter((name) => !key.includes(name) && !target.generated.has(name))
      .map((name) => ({ name, place: placeOf(name) }));
  }

  /** Adds a row that is faulty because of some fields. */
  add(row: Row, faulty: ReadonlySet<string>): void {
    const absent: string[] = [];
    for (const { name, place } of this.#required) {
      const value = readValue(row, place);
      if (value === null) this.#certain.push(lack(row.number, name));
      else if (value === undefined && !this.#target.defaults.has(name)) absent.push(name);
    }
    // In update mode no item is new; without its key it is unknown whether an item is new.
    if (this.#target.mode === 'update') return;
    if (absent.length === 0 || this.#candidates.length === CANDIDATES_MAX) return;
    if (this.#target.key.some(({ name }) => faulty.has(name))) return;
    const values = this.#key.map((place) => readValue(row, place) ?? null);
    const key = values.flatMap((value) => (value === null ? [] : [value]));
    const isWhole = this.#target.mode === 'upsert' && key.length === this.#key.length;
    this.#candidates.push({ row: row.number, fields: absent, key: isWhole ? key : null });
  }

  /** The faults that do not depend on the database, since the last call. */
  takeCertain(): readonly RowFault[] {
    const taken = this.#certain;
    if (taken.length > 0) this.#certain = [];
    return taken;
  }

  /** All faults, in addition to `known` others. */
  async faults(run: ImportRun, known: number): Promise<RowFault[]> {
    const existing = await this.#existing(run);
    const absent = this.#candidates
      .filter(({ row }) => !existing.has(row))
      .flatMap(({ row, fields }) => fields.map((field) => lack(row, field)));
    return [...this.#certain, ...absent].slice(0, Math.max(0, run.options.errorLimit - known));
  }

  /** The candidates whose key exists in the table; all of them when a key does not fit its type. */
  async #existing({ connection, target }: ImportRun): Promise<Set<number>> {
    const keyed = this.#candidates.flatMap(({ row, key }) => (key === null ? [] : [{ row, key }]));
    if (keyed.length === 0) return new Set();
    const pairs = target.key.map(
      ({ column }, place) => sql`t.${identifier(column.name)} =
        CAST(k."key" ->> ${raw(String(place))} AS ${bareType(column)})`,
    );
    await connection.run(sql`SAVEPOINT lacking`);
    try {
      const found = await connection.run(
        sql`SELECT k."row" FROM json_to_recordset(${JSON.stringify(keyed)}::json)
          AS k("row" int8, "key" json)
          WHERE EXISTS (SELECT FROM ${target.name} t WHERE ${join(pairs, ' AND ')})`,
      );
      return new Set(found.rows.map(({ row }) => Number(row)));
    } catch (error) {
      if (!isRowError(error)) throw error;
      await connection.run(sql`ROLLBACK TO SAVEPOINT lacking`);
      return new Set(keyed.map(({ row }) => row));
    }
  }
}
