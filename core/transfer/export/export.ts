/** Writes items in the requested format, as they arrive. */
import type { ExportFormat } from '#core/jobs/message/export.ts';
import type { ItemColumn } from '#core/query/query.ts';
import { csvText } from './csv.ts';
import { jsonText, ndjsonText, xmlText, yamlText } from './json-yaml-xml.ts';
import { parquetBytes } from './parquet/parquet-bytes.ts';
import { exactItems, parsedItems } from './readable-items.ts';
import { xlsxBytes } from './xlsx/xlsx-bytes.ts';

export interface ExportOptions {
  readonly format: ExportFormat;
  /** The plain values of an item, for table formats. */
  readonly columns: readonly ItemColumn[];
  readonly safe: boolean;
  /** The text of a null in a CSV file. */
  readonly nullText?: string | null;
  /** Begins a CSV file with the line `sep=,`. */
  readonly sepLine?: boolean;
}

/** @param items JSON texts in batches */
export function exportText(
  items: AsyncIterable<readonly string[]>,
  { format, columns, safe, nullText, sepLine }: ExportOptions,
): AsyncIterable<string | Buffer> {
  switch (format) {
    case 'csv':
    case 'csv_utf8':
      return csvText(exactItems(items), {
        columns,
        safe,
        nullText,
        sepLine,
        byteOrderMark: format === 'csv_utf8',
      });
    case 'json':
      return jsonText(items);
    case 'ndjson':
      return ndjsonText(items);
    case 'xml':
      return xmlText(parsedItems(items));
    case 'yaml':
      return yamlText(parsedItems(items));
    case 'xlsx':
      return xlsxBytes(exactItems(items), columns);
    case 'parquet':
      return parquetBytes(exactItems(items), columns);
  }
}
