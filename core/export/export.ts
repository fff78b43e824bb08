/** Writes items in the requested format, as they arrive. */
import type { ExportFormat } from '#core/jobs/message/export.ts';
import type { Path } from '#core/query/query.ts';
import { csvText } from './csv.ts';
import { jsonText, linesText, xmlText, yamlText } from './json-yaml-xml.ts';

export interface ExportOptions {
  readonly format: ExportFormat;
  /** The paths of an item's plain values, for table formats. */
  readonly columns: readonly Path[];
  readonly safe: boolean;
}

async function* parsed(
  items: AsyncIterable<readonly string[]>,
): AsyncGenerator<readonly unknown[]> {
  for await (const batch of items) yield batch.map((text): unknown => JSON.parse(text));
}

/** @param items JSON texts in batches */
export function exportText(
  items: AsyncIterable<readonly string[]>,
  { format, columns, safe }: ExportOptions,
): AsyncIterable<string> {
  const values = parsed(items);
  switch (format) {
    case 'csv':
    case 'csv_utf8':
      return csvText(values, { columns, safe, byteOrderMark: format === 'csv_utf8' });
    case 'json':
      return jsonText(values);
    case 'ndjson':
      return linesText(values);
    case 'xml':
      return xmlText(values);
    case 'yaml':
      return yamlText(values);
  }
}
