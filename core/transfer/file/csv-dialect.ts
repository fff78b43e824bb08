/** The notation of the cells of a CSV file. */
import type { ImportParameters } from '#core/jobs/message/import-parameters.ts';

export interface CsvDialect {
  readonly separator: string;
  /** Around cells; null for no quotes. */
  readonly quote: string | null;
  /** Before a quote in a quoted cell. */
  readonly escape: string | null;
  /** Begins lines that are skipped; null for no comments. */
  readonly comment: string | null;
}

/** The dialect that the options describe. */
export function dialectOf({
  separator = ',',
  quote = '"',
  escape: before = quote,
  comment = null,
}: Pick<ImportParameters, 'separator' | 'quote' | 'escape'> & {
  readonly comment?: string | null | undefined;
}): CsvDialect {
  if (quote === '') return { separator, quote: null, escape: null, comment };
  return { separator, quote, escape: before, comment };
}

/** A first line that names the separator, as spreadsheets write it. */
const SEPARATOR_LINE = /^\uFEFF?sep=([^\r\n])(?:\r\n|\r|\n)/i;

/** The separator that the first line of a file names, and the length of that line in bytes. */
export function separatorLine(beginning: string): { separator: string; bytes: number } | null {
  const match = SEPARATOR_LINE.exec(beginning);
  if (match?.[1] === undefined) return null;
  return { separator: match[1], bytes: Buffer.byteLength(match[0]) };
}

const NAMED: readonly (readonly [string, string, string])[] = [
  [';', 'semicolons', ';'],
  ['\t', 'tabs', 'tab'],
  ['|', 'bars', '|'],
  [',', 'commas', ','],
];

/**
 * A hint for a header with a single cell, because the file uses another separator; null for other
 * headers.
 */
export function separatorHint(header: string): string | null {
  const found = NAMED.find(([character]) => header.includes(character));
  if (found === undefined) return null;
  return `The fields seem to be separated by ${found[1]}; use the option separator=${found[2]}.`;
}
