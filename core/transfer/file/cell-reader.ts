/** Parses the cells of CSV rows as values of their columns, by the options of the import. */

import type { ImportParameters } from '#core/jobs/message/import-parameters.ts';
import { CONCEALED } from '#core/model/catalog/catalog.ts';
import { type Conversion, conversionOf } from './cell-format.ts';
import { cellText, holdsBytes, objectInCell } from './cell-text.ts';
import { type FileColumn, storedText } from './file-column.ts';
import { NestedItem } from './nested-column.ts';
import { spellingOf } from './spelling.ts';

/** First bytes of cells that may be JSON: quotes, white space, `null`, lists. */
const MAY_BE_JSON = new Uint8Array(256);
for (const char of '" \t\n\rn[') MAY_BE_JSON[char.charCodeAt(0)] = 1;

const SPACE = 0x20;
const LETTER_F = 0x66;
const LETTER_T = 0x74;

/**
 * Whether a cell with these first and last bytes, or units, is a literal text. `true` and `false`
 * are, unless white space follows.
 */
export function isPlainText(first: number, last: number): boolean {
  if (first === LETTER_T || first === LETTER_F) return last > SPACE;
  return first > 0xff || MAY_BE_JSON[first] === 0;
}

const TEXTS = new Set(['text', 'varchar', 'bpchar', 'citext', 'name']);

/** The value of an empty cell in this column; undefined for no value. */
function emptyValue(
  { field, form }: FileColumn,
  { empty }: ImportParameters,
): '' | null | undefined {
  if (empty === 'null') return null;
  return empty === 'text' && form !== 'json' && TEXTS.has(field.column.typeName) ? '' : undefined;
}

export class CellReader {
  /** Whether rows with only empty cells count as rows without a value. */
  readonly skipsEmptyRows: boolean;
  readonly #columns: readonly FileColumn[];
  readonly #conversions: readonly (Conversion | null)[];
  readonly #spellings: readonly ReturnType<typeof spellingOf>[];
  /** Texts that mean null; null without any. */
  readonly nulls: ReadonlySet<string> | null;
  readonly #empty: readonly ('' | null | undefined)[];

  constructor(columns: readonly FileColumn[], parameters: ImportParameters) {
    this.skipsEmptyRows = (parameters.empty ?? 'missing') === 'missing';
    this.#columns = columns;
    this.#conversions = columns.map((column) => conversionOf(column, parameters));
    this.#spellings = columns.map(spellingOf);
    const { nullValues = [] } = parameters;
    this.nulls = nullValues.length === 0 ? null : new Set(nullValues);
    this.#empty = columns.map((column) => emptyValue(column, parameters));
  }

  /** The value of an empty cell. */
  empty(column: number): '' | null | undefined {
    return this.#empty[column];
  }

  /** Whether the text of a cell that is not JSON is its value, unless a check rejects it. */
  copies(column: number): boolean {
    const known = this.#columns[column];
    if (known === undefined || known.masked || holdsBytes(known)) return false;
    return this.#conversions[column] === null;
  }

  /**
   * The value of a cell.
   * @param quoted whether it is in quotes
   * @throws {MisplacedValue}
   */
  value(column: number, cell: string, quoted: boolean): string | null | undefined {
    if (cell === '') return this.#empty[column];
    const known = this.#columns[column];
    if (known === undefined) return undefined;
    if (known.masked && cell === CONCEALED) return undefined;
    // In a document this is JSON's null, which is a value.
    const isJsonNull = cell === 'null' && known.form === 'json' && quoted;
    if (this.nulls?.has(cell) === true && !isJsonNull) return null;
    const text = isJsonNull ? cell : cellText(cell, known);
    if (text === null) return null;
    if (known.links !== null && known.path === null && objectInCell(text) !== null)
      throw new NestedItem();
    const converted = this.#conversions[column]?.(text) ?? text;
    return storedText(known, this.#spellings[column]?.(converted) ?? converted);
  }
}
