/** Reads the first rows of a file, and writes rows that have been corrected in the same notation. */
import { parse } from 'csv-parse/browser/esm/sync';
import { isItem } from '../data/values.ts';
import { wrappedList } from './json-list.ts';
import type { Plan } from './plan.ts';

type Dialect = Pick<Plan, 'format' | 'separator' | 'quote'>;

export interface Preview {
  /** The names of the columns, in their order. */
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const SAMPLES = 3;

/** A first line that names the separator, as spreadsheets write it. */
export const SEPARATOR_LINE = /^\uFEFF?sep=([^\r\n])(?:\r\n|\r|\n)/i;

/** The first records of a text, as far as they can be read. */
export function readCells(text: string, dialect: Dialect, limit: number): string[][] {
  const records: string[][] = [];
  try {
    parse(text.replace(SEPARATOR_LINE, ''), {
      delimiter: dialect.separator,
      quote: dialect.quote === '' ? null : dialect.quote,
      ...{ bom: true, relax_column_count: true, relax_quotes: true, skip_empty_lines: true },
      record_delimiter: ['\r\n', '\n', '\r'],
      to: limit,
      on_record: (record: string[]) => {
        records.push(record);
        return null;
      },
    });
  } catch {
    // The text ends within a record, or is no table: what was read until there is shown.
  }
  return records;
}

/** The objects of a list, or those after one another, as they are written; the last may be cut. */
function objectTexts(text: string, limit: number): string[] {
  const found: string[] = [];
  let [depth, begin, quoted] = [0, 0, false];
  for (let at = 0; at < text.length && found.length < limit; at += 1) {
    const sign = text[at];
    if (quoted) {
      if (sign === '\\') at += 1;
      else if (sign === '"') quoted = false;
    } else if (sign === '"') quoted = true;
    else if (sign === '{' || (sign === '[' && depth > 0)) {
      if (depth === 0) begin = at;
      depth += 1;
    } else if ((sign === '}' || sign === ']') && depth > 0) {
      depth -= 1;
      if (depth === 0) found.push(text.slice(begin, at + 1));
    }
  }
  return found;
}

/** An object of a text; null when it is none. */
function objectOf(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isItem(value) ? value : null;
  } catch {
    return null;
  }
}

/** A value of a JSON file as one reads and edits it. */
function shown(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export function readPreview(text: string, dialect: Dialect, limit: number): Preview {
  if (dialect.format === 'csv') {
    const [columns = [], ...rows] = readCells(text, dialect, limit + 1);
    return { columns, rows };
  }
  const list = dialect.format === 'json' ? wrappedList(text) : null;
  const objects = objectTexts(list ?? text, limit)
    .map(objectOf)
    .filter((object) => object !== null);
  const columns = [...new Set(objects.flatMap((object) => Object.keys(object)))];
  return { columns, rows: objects.map((one) => columns.map((name) => shown(one[name]))) };
}

/** Some values of a column, to tell what is in it. */
export function samplesOf({ rows }: Preview, column: number): string {
  const cells = rows.map((row) => row[column] ?? '').filter((cell) => cell !== '');
  return cells.slice(0, SAMPLES).join(' · ');
}

/** Writes cells as a row; what needs quotes gets them. */
function writeCells(cells: readonly string[], { separator, quote }: Dialect): string {
  const write = (cell: string) => {
    const plain = ![separator, '\n', '\r', quote].some(
      (sign) => sign !== '' && cell.includes(sign),
    );
    if (plain || quote === '') return cell;
    return `${quote}${cell.replaceAll(quote, quote + quote)}${quote}`;
  };
  return `${cells.map(write).join(separator)}\n`;
}

/** A file of rows as they stood in the first one, in UTF-8. */
export function writeRows(
  columns: readonly string[],
  rows: readonly string[],
  dialect: Dialect,
): string {
  const lines = rows.map((row) => `${row.replace(/[\r\n]+$/, '')}\n`);
  const head = dialect.format === 'csv' ? [writeCells(columns, dialect)] : [];
  return [...head, ...lines].join('');
}

/** The cells of a row of the file by its columns; null when it cannot be read. */
export function cellsOf(
  original: string,
  columns: readonly string[],
  dialect: Dialect,
): readonly string[] | null {
  if (dialect.format === 'csv') {
    const [cells] = readCells(original, dialect, 1);
    return cells === undefined ? null : columns.map((_, at) => cells[at] ?? '');
  }
  const object = objectOf(original);
  return object && columns.map((name) => shown(object[name]));
}

function valueFrom(text: string, before: unknown): unknown {
  if (typeof before === 'string') return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The same row with other texts in some of its cells. */
export function withCells(
  original: string,
  columns: readonly string[],
  dialect: Dialect,
  edits: Readonly<Record<string, string>>,
): string {
  if (dialect.format === 'csv') {
    const cells = cellsOf(original, columns, dialect) ?? [];
    return writeCells(
      columns.map((name, at) => edits[name] ?? cells[at] ?? ''),
      dialect,
    );
  }
  const object = objectOf(original) ?? {};
  const changed = Object.entries(edits).map(([name, text]) => [
    name,
    valueFrom(text, object[name]),
  ]);
  return JSON.stringify({ ...object, ...Object.fromEntries(changed) });
}
