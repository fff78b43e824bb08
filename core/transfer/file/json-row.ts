/** An object of a JSON file as a row: an absent member has no value, null is null. */

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
import { FALSE, type FlatObject, NULL, NUMBER, TEXT, TRUE } from './flat-object.ts';
import type { IgnoredValues } from './ignored-columns.ts';
import type { JsonElement } from './json-element.ts';
import { type MemberLayout, MemberLayouts } from './member-layout.ts';
import { NestedItem } from './nested-column.ts';
import { NO_SECRET, syntaxFault, UnreadableFile } from './row-fault.ts';
import type { Row } from './row-reader.ts';
import { digitsValue } from './spelling.ts';
import { writeValue } from './write-value.ts';

/** Why a value does not fit its field; null when it does. */
export function misfit(
  { field, links }: Pick<FileColumn, 'field' | 'links'>,
  value: unknown,
): Reason | null {
  if (hasSecrets(field) && typeof value !== 'string') return NO_SECRET;
  const kind = value instanceof JsonNumber ? 'number' : kindOf(value);
  // The keys of any collection are stored as text, and some of them are numbers.
  if (links === 'any' && kind === 'number') return null;
  return kind === null ? null : kindFault(field, kind);
}

/** Parses an object of the file. @throws {UnreadableFile} naming the row and the place */
export function parseElement(element: JsonElement, row: number): Record<string, unknown> {
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

/** How members become values of columns. */
export interface JsonRowOptions {
  readonly columns: readonly FileColumn[];
  readonly parameters: ImportParameters;
  /** The field of a member; null for a member that is omitted. */
  readonly fieldNamed: (member: string) => string | null;
  /** Counts the values of omitted members; null when they need not be counted. */
  readonly ignored?: IgnoredValues | null;
}

/** The kinds of values whose bytes are the text of the column, as bits. */
function copiedKinds(column: FileColumn, conversion: Conversion | null): number {
  const { field, form, masked, check, isUsual } = column;
  const isJudged = check !== null && isUsual === null;
  if (form !== 'plain' || field.codec !== null || masked || isJudged || hasSecrets(field)) return 0;
  const takes = (value: unknown) => misfit(column, value) === null;
  const texts = takes('') && conversion === null ? 1 << TEXT : 0;
  const numbers = takes(0) ? 1 << NUMBER : 0;
  return texts | numbers | (takes(true) ? (1 << TRUE) | (1 << FALSE) : 0);
}

/** A row of a JSON file. */
export class JsonRow implements Row {
  number = 0;
  readonly #fieldNamed: JsonRowOptions['fieldNamed'];
  readonly #ignored: IgnoredValues | null;
  readonly #conversions: readonly (Conversion | null)[];
  readonly #columns: readonly FileColumn[];
  readonly #copied: Uint8Array;
  readonly #values: unknown[];
  readonly #places: ReadonlyMap<string, number>;
  readonly #layouts: MemberLayouts;
  #element: JsonElement | undefined;
  #members: Record<string, unknown> | null = null;
  /** The bytes of the object; null when its values were parsed. */
  #flat: FlatObject | null = null;
  #layout: MemberLayout | null = null;

  constructor({ columns, parameters, fieldNamed, ignored = null }: JsonRowOptions) {
    this.#ignored = ignored;
    this.#fieldNamed = fieldNamed;
    this.#conversions = columns.map((column) => conversionOf(column, parameters));
    this.#columns = columns;
    this.#copied = Uint8Array.from(columns, (column, place) =>
      copiedKinds(column, this.#conversions[place] ?? null),
    );
    this.#values = columns.map(() => undefined);
    this.#places = new Map(columns.map((column, place) => [column.name, place]));
    this.#layouts = new MemberLayouts(fieldNamed, this.#places);
  }

  get line(): number {
    return this.#element?.place(0).line ?? 0;
  }

  get members(): Record<string, unknown> | null {
    if (this.#element !== undefined) this.#members ??= parseElement(this.#element, this.number);
    return this.#members;
  }

  cells(): null {
    return null;
  }

  source(): string {
    return this.#element?.text ?? '';
  }

  /**
   * Takes the members of an object of the file; passes those without a column to `unknown`.
   * @throws {UnreadableFile} when it is malformed, or two members name one field
   */
  fill(element: JsonElement, unknown: (name: string) => void): void {
    this.#element = element;
    this.#members = null;
    this.#flat = null;
    if (element.flat !== null && this.#takeFlat(element.flat, unknown)) return;
    this.#parse(element, unknown);
  }

  #takeFlat(flat: FlatObject, unknown: (name: string) => void): boolean {
    const layout = this.#layouts.of(flat);
    if (layout.isAmbiguous) return false;
    this.#flat = flat;
    this.#layout = layout;
    if (this.#ignored !== null) {
      for (const [name, member] of layout.ignored) {
        if (flat.kinds[member] !== NULL) this.#ignored.add(name);
      }
    }
    for (const name of layout.unknown) unknown(name);
    return true;
  }

  #parse(element: JsonElement, unknown: (name: string) => void): void {
    const object = parseElement(element, this.number);
    this.#members = object;
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
      if (this.#values[place] !== undefined) {
        const why = reason('members_name_field_twice', { name: JSON.stringify(name) });
        throw new UnreadableFile(syntaxFault(why, this.number, element.place(0)));
      }
      this.#values[place] = object[member];
    }
  }

  /** The index of the column's member in a flat object; -1 without one. */
  #member(column: number): number {
    return this.#layout?.members[column] ?? -1;
  }

  #read(column: number): unknown {
    if (this.#flat === null) return this.#values[column];
    const member = this.#member(column);
    return member < 0 ? undefined : this.#flat.value(member);
  }

  value(column: number): string | null | undefined {
    const value = this.#read(column);
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
    const value = this.#read(column);
    return typeof value === 'string' ? value : null;
  }

  write(column: number, out: CopyText): boolean {
    if (this.#flat !== null && this.#copy(this.#flat, column, out)) return true;
    return writeValue(this.value(column), this.#columns[column]?.check ?? null, out);
  }

  /** Copies the bytes of a value; false, and writes nothing, when they may be misread. */
  #copy(flat: FlatObject, column: number, out: CopyText): boolean {
    const member = this.#member(column);
    if (member < 0) return false;
    const kind = flat.kinds[member] ?? NULL;
    if ((((this.#copied[column] ?? 0) >> kind) & 1) === 0) return false;
    const start = flat.starts[member] ?? 0;
    const end = flat.ends[member] ?? 0;
    const isUsual = this.#columns[column]?.isUsual ?? null;
    if (isUsual !== null && (start === end || !isUsual(flat.bytes, start, end))) return false;
    out.bytes(flat.bytes, start, end);
    return true;
  }

  integer(column: number): number {
    const member = this.#member(column);
    if (this.#flat !== null && member >= 0) {
      const { kinds, bytes, starts, ends } = this.#flat;
      const kind = kinds[member];
      if (kind === TEXT || kind === NUMBER) {
        return digitsValue(bytes, starts[member] ?? 0, ends[member] ?? 0);
      }
    }
    const value = this.#read(column);
    const text = typeof value === 'number' ? String(value) : value;
    return typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  }
}
