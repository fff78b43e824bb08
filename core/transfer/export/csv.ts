/**
 * Exports items as CSV (RFC 4180): a header, then one line per item. Lists and documents are JSON in
 * their cell.
 */
import { stringify } from 'csv-stringify/sync';
import { writeExactJson } from '#core/base/json/exact-json.ts';
import type { ItemColumn } from '#core/query/query.ts';

/** Helps programs that guess the encoding. */
export const BYTE_ORDER_MARK = '\uFEFF';

/** Tells Excel the separator, which otherwise depends on the settings of its computer. */
export const SEP_LINE = 'sep=,\n';

export interface CsvOptions {
  /** The names in their paths are joined with dots. */
  readonly columns: readonly ItemColumn[];
  readonly byteOrderMark: boolean;
  /** Escapes cells that a spreadsheet would treat as a formula. */
  readonly safe: boolean;
  /** The text of a null; without it, a null is an empty cell, as is an empty text. */
  readonly nullText?: string | null | undefined;
  /** Begins the file with {@link SEP_LINE}. */
  readonly sepLine?: boolean | undefined;
}

/** Texts that an import would read as no value, as another value, or as JSON. */
const MISREAD = /^(?:$|[\0-"]|null|true|false)/;

/** A value as an import reads it back: texts that it would misread are in JSON quotes. */
function readable(value: unknown, nullText: string, isDocument: boolean): unknown {
  if (value === null || value === undefined) return nullText;
  if (typeof value !== 'string' || isDocument) return value;
  return value === nullText || MISREAD.test(value) ? JSON.stringify(value) : value;
}

/** The value of a cell of a table; documents are JSON there, so that texts in them stay distinguishable. */
export function valueAt(item: unknown, { path, isDocument }: ItemColumn): unknown {
  let value = item;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return null;
    value = Reflect.get(value, key);
  }
  const isJson = typeof value === 'string' ? isDocument : typeof value === 'object';
  return isJson && value !== null ? writeExactJson(value) : value;
}

/** Writes batches of items; writes nothing without items. */
export async function* csvText(
  items: AsyncIterable<readonly unknown[]>,
  { columns, byteOrderMark, safe, nullText = null, sepLine = false }: CsvOptions,
): AsyncGenerator<string> {
  const write = (rows: readonly (readonly unknown[])[]) =>
    stringify([...rows], {
      quoted_string: true,
      escape_formulas: safe,
      cast: { boolean: (value) => String(value) },
      eof: false,
    });
  let before = `${byteOrderMark ? BYTE_ORDER_MARK : ''}${sepLine ? SEP_LINE : ''}`;
  const header = write([columns.map(({ path }) => path.join('.'))]);
  let begun = false;
  for await (const batch of items) {
    if (batch.length === 0) continue;
    const rows = batch.map((item) =>
      columns.map((column) => {
        const value = valueAt(item, column);
        return nullText === null ? value : readable(value, nullText, column.isDocument);
      }),
    );
    yield `${before}${begun ? '' : `${header}\n`}${write(rows)}`;
    before = '\n';
    begun = true;
  }
}
