/** Reads a JSON file into rows: an absent member has no value, null is null. */

import { CONCEALED } from '#core/catalog/concealed-field.ts';
import { kindFault, kindOf } from '#core/values/json-type.ts';
import { MisplacedValue, valueText } from './cell-text.ts';
import type { CopyText } from './copy-text.ts';
import { JsonFault, JsonNumber, parseJson } from './exact-json.ts';
import { type FileColumn, storedText } from './file-column.ts';
import { type JsonElement, JsonScanner } from './json-scanner.ts';
import { malformed, UnreadableFile } from './row-fault.ts';
import type { Row, RowHandler, RowReader } from './row-reader.ts';
import { writeValue } from './write-value.ts';

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Parses an object of the file. @throws {UnreadableFile} naming the row and the place */
function parseElement(element: JsonElement, row: number): Record<string, unknown> {
  try {
    const value = parseJson(element.text);
    if (!isObject(value)) throw new MisplacedValue(value);
    return value;
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    throw new UnreadableFile(malformed(error.message, row, element.place(error.position)));
  }
}

class JsonRow implements Row {
  number = 0;
  readonly #columns: readonly FileColumn[];
  readonly #values: unknown[];
  readonly #places: ReadonlyMap<string, number>;
  #element: JsonElement | undefined;

  constructor(columns: readonly FileColumn[]) {
    this.#columns = columns;
    this.#values = columns.map(() => undefined);
    this.#places = new Map(columns.map((column, place) => [column.name, place]));
  }

  get line(): number {
    return this.#element?.place(0).line ?? 0;
  }

  source(): string {
    return this.#element?.text ?? '';
  }

  /** Takes the members of an object of the file; those without a column are passed to `unknown`. */
  fill(
    element: JsonElement,
    object: Record<string, unknown>,
    unknown: (name: string) => void,
  ): void {
    this.#element = element;
    this.#values.fill(undefined);
    for (const name of Object.keys(object)) {
      const place = this.#places.get(name);
      if (place === undefined) unknown(name);
      else this.#values[place] = object[name];
    }
  }

  value(column: number): string | null | undefined {
    const value = this.#values[column];
    if (value === undefined || value === null) return value;
    const known = this.#columns[column];
    if (value === CONCEALED && known?.masked) return undefined;
    const kind = value instanceof JsonNumber ? 'number' : kindOf(value);
    const wrong = known === undefined || kind === null ? null : kindFault(known.field, kind);
    if (wrong !== null) throw new MisplacedValue(value, wrong);
    const text = valueText(value, known?.form ?? 'plain');
    return known === undefined ? text : storedText(known, text);
  }

  write(column: number, out: CopyText): boolean {
    return writeValue(this.value(column), this.#columns[column]?.check ?? null, out);
  }

  integer(column: number): number {
    const value = this.#values[column];
    const text = typeof value === 'number' ? String(value) : value;
    return typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  }
}

/** Reads the objects of the file. */
export function jsonRows(columns: readonly FileColumn[], handler: RowHandler): RowReader {
  const row = new JsonRow(columns);
  return new JsonScanner({
    element(element) {
      row.number += 1;
      const object = parseElement(element, row.number);
      row.fill(element, object, (name) => handler.member(name, row.number));
      handler.row(row);
    },
    row: () => row.number + 1,
  });
}

/** The names of the members of the objects at the beginning of a file, in order of appearance. */
export async function jsonMembers(source: AsyncIterable<Buffer>): Promise<string[]> {
  const names = new Set<string>();
  let rows = 0;
  const scanner = new JsonScanner({
    element(element) {
      rows += 1;
      for (const name of Object.keys(parseElement(element, rows))) names.add(name);
    },
    row: () => rows + 1,
  });
  try {
    for await (const chunk of source) {
      scanner.push(chunk);
      if (rows > 0) return [...names];
    }
    scanner.end();
  } catch (error) {
    // Later faults are found when the rows are read.
    if (rows < 2) throw error;
  }
  return [...names];
}
