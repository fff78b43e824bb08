/** Writes the content of an exported file: items in one of the formats, readable by an import. */

import { stringify } from 'csv-stringify/sync';
import type { ClientBase } from 'pg';
import Cursor from 'pg-cursor';
import { copyOut } from '#core/database/copy-out.ts';
import type { Statement } from '#core/database/sql.ts';
import type { ExportFormat } from '#core/jobs/message/export.ts';
import type { ItemColumn, Query } from '#core/query/query.ts';
import {
  type CompiledCopy,
  compileCopy,
  compileExactRows,
  type ReadTarget,
} from '#core/read/sql/compile.ts';
import { BYTE_ORDER_MARK, SEP_LINE } from './csv.ts';
import { ndjsonText, singleLine, xmlText, yamlText } from './json-yaml-xml.ts';
import { parquetBytes } from './parquet/parquet-bytes.ts';
import { exactItems, parsedItems } from './readable-items.ts';
import { xlsxBytes } from './xlsx/xlsx-bytes.ts';

/** The source of a file: lines of CSV, or the JSON texts of items. */
export type FileStatement =
  | {
      readonly format: 'csv' | 'csv_utf8';
      readonly form: CsvForm;
      readonly copy: CompiledCopy;
    }
  | {
      readonly format: Exclude<ExportFormat, 'csv' | 'csv_utf8'>;
      readonly statement: Statement;
      /** The plain values of an item, for formats of tables. */
      readonly columns: readonly ItemColumn[];
    };

/** How a CSV file is written. */
export interface CsvForm {
  readonly safe: boolean;
  /** The text of a null; null or absent for the word `null`. */
  readonly nullText?: string | null | undefined;
  /** Begins the file with a line that tells Excel the separator. */
  readonly sepLine?: boolean | undefined;
}

/** A part of a file. */
export interface FilePart {
  readonly bytes: Buffer;
  /** The number of items in the file so far. */
  readonly rows: number;
}

/** @throws ServiceError FORBIDDEN, INVALID_QUERY */
export function fileStatement(
  target: ReadTarget,
  query: Query,
  { format, ...form }: { readonly format: ExportFormat } & CsvForm,
): FileStatement {
  if (format === 'csv' || format === 'csv_utf8') {
    return { format, form, copy: compileCopy(target, query, form) };
  }
  const statement = compileExactRows(target, query);
  return { format, statement, columns: statement.columns };
}

/** Settings that the texts of values depend on, for one transaction. */
const BEGIN = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
  SET LOCAL bytea_output = 'hex'; SET LOCAL extra_float_digits = 1`;

function header(columns: readonly ItemColumn[], safe: boolean): string {
  const names = columns.map(({ path }) => path.join('.'));
  return stringify([names], { escape_formulas: safe });
}

async function* csvParts(
  client: ClientBase,
  { format, form, copy }: Extract<FileStatement, { copy: CompiledCopy }>,
): AsyncGenerator<FilePart> {
  const mark = format === 'csv_utf8' ? BYTE_ORDER_MARK : '';
  const line = form.sepLine === true ? SEP_LINE : '';
  yield { bytes: Buffer.from(mark + line + header(copy.columns, form.safe)), rows: 0 };
  yield* copyOut(client, copy.text);
}

/** Rows per fetch, first and at most, and the target number of characters of a fetch. */
const FIRST_ROWS = 20;
const MOST_ROWS = 1_000;
const FETCH_LENGTH = 262_144;

/** The first column of the rows of a statement, in batches. */
async function* textsOf(
  client: ClientBase,
  { text, values }: Statement,
): AsyncGenerator<readonly string[]> {
  const cursor = client.query(new Cursor<[string | null]>(text, values, { rowMode: 'array' }));
  for (let count = FIRST_ROWS; ; ) {
    const rows = await cursor.read(count);
    if (rows.length === 0) return;
    const texts = rows.map(([row]) => row ?? 'null');
    yield texts;
    const length = texts.reduce((sum, row) => sum + row.length, 0);
    const fitting = Math.floor((FETCH_LENGTH * texts.length) / Math.max(length, 1));
    count = Math.max(1, Math.min(fitting, texts.length * 4, MOST_ROWS));
  }
}

type Batches = AsyncIterable<readonly string[]>;

/** A list with an item on each line. */
async function* listText(batches: Batches): AsyncGenerator<string> {
  let before = '[\n';
  for await (const batch of batches) {
    yield before + batch.map(singleLine).join(',\n');
    before = ',\n';
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}

function contentOf(
  format: ExportFormat,
  batches: Batches,
  columns: readonly ItemColumn[],
): AsyncIterable<string | Buffer> {
  if (format === 'xlsx') return xlsxBytes(exactItems(batches), columns);
  if (format === 'parquet') return parquetBytes(exactItems(batches), columns);
  if (format === 'xml') return xmlText(parsedItems(batches));
  if (format === 'yaml') return yamlText(parsedItems(batches));
  return format === 'json' ? listText(batches) : ndjsonText(batches);
}

async function* rowParts(
  client: ClientBase,
  { format, statement, columns }: Extract<FileStatement, { statement: Statement }>,
): AsyncGenerator<FilePart> {
  let rows = 0;
  const counted = async function* () {
    for await (const batch of textsOf(client, statement)) {
      rows += batch.length;
      yield batch;
    }
  };
  for await (const piece of contentOf(format, counted(), columns)) {
    yield { bytes: typeof piece === 'string' ? Buffer.from(piece) : piece, rows };
  }
}

/**
 * The content of a file, in the snapshot of one transaction. Leaving the loop early does not end
 * the statement: the caller must end the connection.
 */
export async function* fileParts(
  client: ClientBase,
  statement: FileStatement,
): AsyncGenerator<FilePart> {
  await client.query(BEGIN);
  yield* 'copy' in statement ? csvParts(client, statement) : rowParts(client, statement);
  await client.query('COMMIT');
}
