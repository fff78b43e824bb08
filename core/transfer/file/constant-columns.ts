/** The fields that an option fills with one value in all rows. */

import { parseExactJson } from '#core/base/json/exact-json.ts';
import { textChecker } from '#core/model/values/check-value.ts';
import type { ImportableCollection } from '../target/import-target.ts';
import { MisplacedValue, valueText } from './cell-text.ts';
import type { CopyText } from './copy-text.ts';
import { type FileColumn, fileColumn, isReason, storedText } from './file-column.ts';
import { misfit } from './json-row.ts';
import { displayValue, type RowFault, syntaxFault, UnreadableFile } from './row-fault.ts';
import type { Row, RowHandler } from './row-reader.ts';
import { writeValue } from './write-value.ts';

/** The text of a constant, or the fault of its field. */
function textOf(column: FileColumn, json: unknown): string | null | RowFault {
  if (json === null) return null;
  const { name: field } = column;
  const value = displayValue(JSON.stringify(json));
  const fault = { row: null, field, value } as const;
  // The numbers of the option become texts as those of a file do.
  const exact = parseExactJson(JSON.stringify(json));
  const why = misfit(column, exact);
  if (why !== null) return { ...fault, code: 'FAILED_VALIDATION', reason: why };
  try {
    const text = valueText(exact, column);
    const wrong = textChecker(column.field)(text);
    return wrong === null ? storedText(column, text) : { ...fault, ...wrong };
  } catch (error) {
    if (!(error instanceof MisplacedValue)) throw error;
    return { ...fault, code: 'FAILED_VALIDATION', reason: error.reason };
  }
}

/**
 * The columns of the constants of a collection.
 * @throws {UnreadableFile} with the faults of fields that cannot have their value
 */
export function constantColumns(collection: ImportableCollection): FileColumn[] {
  const { constants, references: _, ...fields } = collection;
  const faults: RowFault[] = [];
  const columns = Object.entries(constants ?? {}).flatMap(([name, json]): FileColumn[] => {
    const column = fileColumn(fields, name);
    if (isReason(column)) {
      faults.push({ ...syntaxFault(column, null, null), field: name });
      return [];
    }
    const text = textOf(column, json);
    if (text === null || typeof text === 'string') return [{ ...column, constant: { json, text } }];
    faults.push(text);
    return [];
  });
  const [first, ...rest] = faults;
  if (first !== undefined) throw new UnreadableFile(first, ...rest);
  return columns;
}

/** A row of the file, followed by the constants. */
class RowWithConstants implements Row {
  readonly #count: number;
  readonly #texts: readonly (string | null)[];
  row: Row;

  constructor(row: Row, count: number, texts: readonly (string | null)[]) {
    this.row = row;
    this.#count = count;
    this.#texts = texts;
  }

  get number(): number {
    return this.row.number;
  }

  get line(): number {
    return this.row.line;
  }

  get members(): Row['members'] {
    return this.row.members;
  }

  cells(): readonly string[] | null {
    return this.row.cells();
  }

  source(): string {
    return this.row.source();
  }

  value(column: number): string | null | undefined {
    const place = column - this.#count;
    return place < 0 ? this.row.value(column) : this.#texts[place];
  }

  written(column: number): string | null {
    return column < this.#count ? this.row.written(column) : null;
  }

  write(column: number, out: CopyText): boolean {
    const place = column - this.#count;
    return place < 0 ? this.row.write(column, out) : writeValue(this.#texts[place], null, out);
  }

  integer(column: number): number {
    return column < this.#count ? this.row.integer(column) : Number.NaN;
  }
}

/**
 * A handler of rows without constants, which adds them.
 * @param columns those of the file, and then those of constants
 * @param count the number of those of the file
 */
export function withConstants(
  columns: readonly FileColumn[],
  count: number,
  handler: RowHandler,
): RowHandler {
  const texts = columns.slice(count).map(({ constant }) => constant?.text ?? null);
  let all: RowWithConstants | undefined;
  return {
    row(row) {
      all ??= new RowWithConstants(row, count, texts);
      all.row = row;
      handler.row(all);
    },
    fault: (fault, source) => handler.fault(fault, source),
    skipped: (row) => handler.skipped(row),
    member: (name, row) => handler.member(name, row),
  };
}
