/** Reads a JSON file into rows: an absent member has no value, null is null. */

import { type Reason, reason } from '#core/base/errors/reason.ts';
import { JsonNumber, JsonSyntaxError, parseExactJson } from '#core/base/json/exact-json.ts';
import { isJsonObject } from '#core/base/json/json-object.ts';
import type { ImportParameters } from '#core/jobs/message/import-parameters.ts';
import { CONCEALED } from '#core/model/catalog/catalog.ts';
import { kindFault, kindOf } from '#core/model/values/json-type.ts';
import { hasSecrets } from '#core/write/special-flags.ts';
import { type Conversion, conversionOf } from './cell-format.ts';
import { MisplacedValue, valueText } from './cell-text.ts';
import type { CopyText } from './copy-text.ts';
import { type FileColumn, storedText } from './file-column.ts';
import type { IgnoredValues } from './ignored-columns.ts';
import { type JsonElement, JsonScanner } from './json-scanner.ts';
import { NdjsonScanner } from './ndjson-scanner.ts';
import { NestedItem } from './nested-column.ts';
import { NO_SECRET, syntaxFault, UnreadableFile } from './row-fault.ts';
import type { Row, RowHandler, RowReader } from './row-reader.ts';
import { writeValue } from './write-value.ts';

/** Why a value does not fit its field; null when it does. */
export function misfit({ field, links }: FileColumn, value: unknown): Reason | null {
  if (hasSecrets(field) && typeof value !== 'string') return NO_SECRET;
  const kind = value instanceof JsonNumber ? 'number' : kindOf(value);
  // The keys of any collection are stored as text, and some of them are numbers.
  if (links === 'any' && kind === 'number') return null;
  return kind === null ? null : kindFault(field, kind);
}

/** Parses an object of the file. @throws {UnreadableFile} naming the row and the place */
function parseElement(element: JsonElement, row: number): Record<string, unknown> {
  let value: unknown;
  try {
    value = parseExactJson(element.text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new UnreadableFile(syntaxFault(error.reason, row, element.place(error.position)));
  }
  if (isJsonObject(value) && !(value instanceof JsonNumber)) return value;
  throw new UnreadableFile(syntaxFault(reason('row_object_expected'), row, element.place(0)));
}

/** The options for reading the rows of a JSON file. */
export interface JsonRowsOptions {
  readonly format: 'json' | 'ndjson';
  readonly columns: readonly FileColumn[];
  readonly parameters: ImportParameters;
  /** The field of a member; null for a member that is omitted. */
  readonly fieldNamed: (member: string) => string | null;
  /** Counts the values of omitted members; null when they need not be counted. */
  readonly ignored?: IgnoredValues | null;
}

class JsonRow implements Row {
  number = 0;
  members: Readonly<Record<string, unknown>> | null = null;
  readonly #fieldNamed: JsonRowsOptions['fieldNamed'];
  readonly #ignored: IgnoredValues | null;
  readonly #conversions: readonly (Conversion | null)[];
  readonly #columns: readonly FileColumn[];
  readonly #values: unknown[];
  readonly #places: ReadonlyMap<string, number>;
  #element: JsonElement | undefined;

  constructor({ columns, parameters, fieldNamed, ignored = null }: JsonRowsOptions) {
    this.#ignored = ignored;
    this.#fieldNamed = fieldNamed;
    this.#conversions = columns.map((column) => conversionOf(column, parameters));
    this.#columns = columns;
    this.#values = columns.map(() => undefined);
    this.#places = new Map(columns.map((column, place) => [column.name, place]));
  }

  get line(): number {
    return this.#element?.place(0).line ?? 0;
  }

  cells(): null {
    return null;
  }

  source(): string {
    return this.#element?.text ?? '';
  }

  /**
   * Sets the members from an object of the file; passes those without a column to `unknown`.
   * @returns the field that two members name; null without such a field
   */
  fill(
    element: JsonElement,
    object: Record<string, unknown>,
    unknown: (name: string) => void,
  ): string | null {
    this.#element = element;
    this.members = object;
    this.#values.fill(undefined);
    for (const member of Object.keys(object)) {
      const name = this.#fieldNamed(member);
      if (name === null) {
        if (object[member] !== null) this.#ignored?.add(member);
        continue;
      }
      const place = this.#places.get(name);
      if (place === undefined) {
        unknown(name);
        continue;
      }
      if (this.#values[place] !== undefined) return name;
      this.#values[place] = object[member];
    }
    return null;
  }

  value(column: number): string | null | undefined {
    const value = this.#values[column];
    if (value === undefined || value === null) return value;
    const known = this.#columns[column];
    if (value === CONCEALED && known?.masked) return undefined;
    if (known !== undefined && known.links !== null && isJsonObject(value)) {
      if (!(value instanceof JsonNumber)) throw new NestedItem();
    }
    if (known === undefined) return undefined;
    const wrong = misfit(known, value);
    if (wrong !== null) throw new MisplacedValue(value, wrong);
    const text = valueText(value, known);
    const conversion = typeof value === 'string' ? this.#conversions[column] : null;
    return storedText(known, conversion?.(text) ?? text);
  }

  written(column: number): string | null {
    const value = this.#values[column];
    return typeof value === 'string' ? value : null;
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
export function jsonRows(options: JsonRowsOptions, handler: RowHandler): RowReader {
  const row = new JsonRow(options);
  const take = (element: JsonElement) => {
    const object = parseElement(element, row.number);
    const twice = row.fill(element, object, (name) => handler.member(name, row.number));
    if (twice !== null) {
      const why = reason('members_name_field_twice', { name: JSON.stringify(twice) });
      throw new UnreadableFile(syntaxFault(why, row.number, element.place(0)));
    }
    handler.row(row);
  };
  const next = () => row.number + 1;
  const scanner =
    options.format === 'json'
      ? new JsonScanner({
          element(element) {
            row.number += 1;
            take(element);
          },
          row: next,
        })
      : new NdjsonScanner({
          element(element) {
            row.number += 1;
            try {
              take(element);
            } catch (error) {
              // The next line can be read nevertheless.
              if (!(error instanceof UnreadableFile)) throw error;
              handler.fault(error.fault, element.text);
            }
          },
          badEncoding(line) {
            row.number += 1;
            const place = { line, column: 1 };
            handler.fault(syntaxFault(reason('line_not_utf8'), row.number, place), '');
          },
        });
  return { push: (chunk) => scanner.push(chunk), end: () => scanner.end(), next };
}

/** The names of the members of the objects at the beginning of a file, in order of appearance. */
export async function jsonMembers(
  format: JsonRowsOptions['format'],
  source: AsyncIterable<Buffer>,
): Promise<string[]> {
  const names = new Set<string>();
  let rows = 0;
  const element = (object: JsonElement) => {
    rows += 1;
    for (const name of Object.keys(parseElement(object, rows))) names.add(name);
  };
  const scanner =
    format === 'json'
      ? new JsonScanner({ element, row: () => rows + 1 })
      : new NdjsonScanner({ element, badEncoding: () => undefined });
  try {
    for await (const chunk of source) {
      scanner.push(chunk);
      if (rows > 0) return [...names];
    }
    scanner.end();
  } catch (error) {
    // Later faults, and those of single lines, are found when the rows are read.
    if (rows < 2 && format === 'json') throw error;
  }
  return [...names];
}
