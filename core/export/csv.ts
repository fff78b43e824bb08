/**
 * Exports items as CSV (RFC 4180): a header, then one line per item. Lists are JSON in their cell.
 */
import { stringify } from 'csv-stringify/sync';
import type { Path } from '#core/query/query.ts';
import { writeJson } from '#core/transfer/file/exact-json.ts';

/** Helps programs that guess the encoding. */
export const BYTE_ORDER_MARK = '\uFEFF';

export interface CsvOptions {
  /** The paths of the columns; their names are joined with dots. */
  readonly columns: readonly Path[];
  readonly byteOrderMark: boolean;
  /** Escapes cells that a spreadsheet would treat as a formula. */
  readonly safe: boolean;
}

function valueAt(item: unknown, path: Path): unknown {
  let value = item;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return null;
    value = Reflect.get(value, key);
  }
  return typeof value === 'object' && value !== null ? writeJson(value) : value;
}

/** Writes batches of items; nothing when there are none. */
export async function* csvText(
  items: AsyncIterable<readonly unknown[]>,
  { columns, byteOrderMark, safe }: CsvOptions,
): AsyncGenerator<string> {
  const write = (rows: readonly (readonly unknown[])[]) =>
    stringify([...rows], {
      quoted_string: true,
      escape_formulas: safe,
      cast: { boolean: (value) => String(value) },
      eof: false,
    });
  let before = byteOrderMark ? BYTE_ORDER_MARK : '';
  const header = write([columns.map((path) => path.join('.'))]);
  let begun = false;
  for await (const batch of items) {
    if (batch.length === 0) continue;
    const rows = batch.map((item) => columns.map((path) => valueAt(item, path)));
    yield `${before}${begun ? '' : `${header}\n`}${write(rows)}`;
    before = '\n';
    begun = true;
  }
}
