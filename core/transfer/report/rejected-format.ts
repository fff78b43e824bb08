/**
 * The notation of a file of rejected rows: that of the imported file, with the number of the row
 * and its faults before its own content. Other formats than text become CSV.
 */

import { writeExactJson } from '#core/base/json/exact-json.ts';
import { type CsvDialect, dialectOf } from '../file/csv-dialect.ts';
import { REASON_COLUMN, ROW_COLUMN } from '../file/ignored-columns.ts';
import type { ImportFile } from '../file/import-file.ts';

/** What is added to a rejected row. */
export interface AddedValues {
  /** The number of the row in the first file. */
  readonly row: string;
  readonly reason: string;
}

/** A member of rejected objects with the text of a line that is no object. */
const TEXT_MEMBER = 'sluice_text';
const MARK = '\uFEFF';

/** Writes the rows of one file. */
export interface RejectedFormat {
  readonly head: string;
  readonly tail: string;
  /** Between rows. */
  readonly separator: string;
  /** The beginning of a row with the added values. */
  begin(added: AddedValues): string;
  /** The rest of a row from its cells. */
  cells(cells: readonly string[]): string;
  /** The rest of a row from its text in the file. */
  text(text: string): string;
  /** The rest of a row from its members. */
  members(members: Readonly<Record<string, unknown>>): string;
  /** The rest of a row that cannot be read. */
  malformed(text: string): string;
}

function quotedCell({ separator, quote, escape: before }: CsvDialect, text: string): string {
  if (quote === null) return text.replaceAll(separator, ' ').replaceAll(/[\r\n]+/g, ' ');
  const isBare = !text.includes(separator) && !text.includes(quote) && !/[\r\n]/.test(text);
  if (isBare && text.trim() === text && !text.startsWith('#')) return text;
  const escaped =
    before === quote || before === null ? text : text.replaceAll(before, before + before);
  return `${quote}${escaped.replaceAll(quote, (before ?? quote) + quote)}${quote}`;
}

function csvFormat(file: ImportFile, header: readonly string[]): RejectedFormat {
  const dialect = file.dialect ?? dialectOf({});
  const { separator } = dialect;
  const line = (cells: readonly string[]) =>
    cells.map((cell) => quotedCell(dialect, cell)).join(separator);
  const { charset = 'utf-8' } = file.parameters;
  const given = file.parameters.separator ?? ',';
  // The options of the first file also fit this one, which is UTF-8.
  const mark = charset === 'utf-8' ? '' : MARK;
  const named = given === separator ? '' : `sep=${separator}\n`;
  const rest = (text: string) => (text === '' ? text : separator + text);
  return {
    head: `${mark}${named}${line([ROW_COLUMN, REASON_COLUMN, ...header])}\n`,
    tail: '\n',
    separator: '\n',
    begin: ({ row, reason }) => line([row, reason]),
    cells: (cells) => rest(line(cells)),
    text: rest,
    members: () => '',
    malformed: rest,
  };
}

function jsonFormat(isArray: boolean): RejectedFormat {
  const after = (members: string) => (members.trim() === '' ? '}' : `,${members.trim()}}`);
  const members = (object: Readonly<Record<string, unknown>>) =>
    after(writeExactJson(object).slice(1, -1));
  return {
    head: isArray ? '[\n' : '',
    tail: isArray ? '\n]\n' : '\n',
    separator: isArray ? ',\n' : '\n',
    begin: ({ row, reason }) =>
      JSON.stringify({ [ROW_COLUMN]: Number(row), [REASON_COLUMN]: reason }).slice(0, -1),
    cells: () => '}',
    text: (text) => after(text.trim().slice(1, -1)),
    members,
    malformed: (text) => members({ [TEXT_MEMBER]: text }),
  };
}

/** The format of the rejected rows of a file. @param header the names of its own columns */
export function rejectedFormat(file: ImportFile, header: readonly string[]): RejectedFormat {
  if (file.format === 'json') return jsonFormat(true);
  if (file.format === 'ndjson') return jsonFormat(false);
  return csvFormat(file, header);
}
