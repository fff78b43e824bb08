/** Guesses from the beginning of a file how it is written. */

import { guessCharset, type OpenedFile, textOf } from './beginning.ts';
import { wrappedList } from './json-list.ts';
import { type Format, type Plan, SEPARATORS } from './plan.ts';
import { type Preview, readCells, readPreview, SEPARATOR_LINE } from './preview.ts';

const LOOKED_AT = 50;

const BY_NAME: Readonly<Record<string, Format>> = {
  csv: 'csv',
  tsv: 'csv',
  json: 'json',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
};

function guessFormat(name: string, text: string): Format {
  const extension = name.toLowerCase().replace(/\.gz$/, '').split('.').at(-1) ?? '';
  const [first] = text.replace(/^\uFEFF/, '').trimStart();
  if (BY_NAME[extension] === 'csv') return 'csv';
  // A list is one document, objects after one another are many.
  if (first === '[' || wrappedList(text) !== null) return 'json';
  return first === '{' ? 'ndjson' : (BY_NAME[extension] ?? 'csv');
}

/** How many columns all rows have; 0 when they differ. */
function commonWidth(rows: readonly (readonly string[])[]): number {
  const width = rows[0]?.length ?? 0;
  const same = rows.filter((row) => row.length === width).length;
  return same * 10 >= rows.length * 9 ? width : 0;
}

/** The one that the file names, else the one that makes the widest table. */
function guessSeparator(text: string): string {
  const named = SEPARATOR_LINE.exec(text)?.[1];
  if (named !== undefined) return named;
  const widths = SEPARATORS.map((separator) => {
    const rows = readCells(text, { format: 'csv', separator, quote: '"' }, LOOKED_AT);
    return { separator, width: commonWidth(rows) };
  });
  const [best] = widths.toSorted((a, b) => b.width - a.width);
  if (best !== undefined && best.width > 1) return best.separator;
  return SEPARATORS.find((separator) => text.split(/\r?\n/, 1)[0]?.includes(separator)) ?? ',';
}

const columnsOf = ({ columns, rows }: Preview) =>
  columns.map((_, at) => rows.map((row) => row[at] ?? '').filter((cell) => cell.trim() !== ''));

const COMMA_NUMBER = /^[+-]?\d+,\d+$/;
const POINT_NUMBER = /^[+-]?\d+\.\d+$/;

function guessDecimal(columns: readonly (readonly string[])[]): ',' | '.' {
  const cells = columns.flat();
  return cells.some((cell) => COMMA_NUMBER.test(cell)) &&
    !cells.some((cell) => POINT_NUMBER.test(cell))
    ? ','
    : '.';
}

const DATE = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?:([ T])(\d{2}:\d{2}(:\d{2})?))?$/;

/** How the dates of a column are written; null when it has others, or none. */
function dateFormatOf(cells: readonly string[], monthFirst: boolean): string | null {
  const dates = cells.map((cell) => DATE.exec(cell.trim()));
  const [sample] = dates;
  if (!sample || dates.some((date) => date?.[2] !== sample[2] || date?.[7] !== sample[7])) {
    // Seconds that only some have cannot be told by one format.
    return null;
  }
  const parts = (at: number) => dates.map((date) => date?.[at] ?? '');
  const above = (texts: readonly string[]) => texts.some((text) => Number(text) > 12);
  const [first, second, sign = ''] = [parts(1), parts(3), sample[2]];
  const american = above(second) || (!above(first) && sign === '/' && monthFirst);
  const short = [...first, ...second].some((text) => text.length === 1);
  const [day, month] = short ? ['D', 'M'] : ['DD', 'MM'];
  const date = (american ? [month, day, 'YYYY'] : [day, month, 'YYYY']).join(sign);
  if (sample[6] === undefined) return date;
  const time = sample[7] === undefined ? 'HH:mm' : 'HH:mm:ss';
  return `${date}${sample[5] === 'T' ? '[T]' : ' '}${time}`;
}

function guessDateFormat(columns: readonly (readonly string[])[]): string {
  const monthFirst = navigator.language === 'en-US';
  for (const cells of columns) {
    const format = dateFormatOf(cells, monthFirst);
    if (format !== null) return format;
  }
  return '';
}

const DEFAULTS: Omit<Plan, 'format' | 'timezone'> = {
  ...{ separator: ',', quote: '"', charset: 'utf-8', decimal: '.', empty: 'missing' },
  dateFormat: '',
  ...{ mode: 'upsert', match: '', onError: 'skip', create: false, mapping: {} },
};

/** What the file itself says about how it is read; the rest has its default, times the zone of the user. */
export function guessPlan(opened: OpenedFile, timezone: string): Plan {
  if (opened.table !== null) return { ...DEFAULTS, timezone, format: opened.table.format };
  const charset = guessCharset(opened.bytes);
  const text = textOf(opened, charset);
  const format = guessFormat(opened.file.name, text);
  const separator = format === 'csv' ? guessSeparator(text) : ',';
  const columns = columnsOf(readPreview(text, { format, separator, quote: '"' }, LOOKED_AT));
  return {
    ...{ ...DEFAULTS, timezone, format, separator, charset },
    decimal: format === 'csv' ? guessDecimal(columns) : '.',
    dateFormat: guessDateFormat(columns),
  };
}
