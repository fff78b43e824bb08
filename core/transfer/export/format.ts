/** The formats that items are exported in. */

import { reason } from '#core/base/errors/reason.ts';
import { invalidQuery } from '#core/base/errors/service-error.ts';
import { EXPORT_FORMATS, type ExportFormat } from '#core/jobs/message/export.ts';

/** The public name of a format. */
export interface FormatFacts {
  readonly mediaType: string;
  /** Without the dot. */
  readonly extension: string;
}

export const FORMATS: Readonly<Record<ExportFormat, FormatFacts>> = {
  csv: { mediaType: 'text/csv; charset=utf-8', extension: 'csv' },
  csv_utf8: { mediaType: 'text/csv; charset=utf-8', extension: 'csv' },
  json: { mediaType: 'application/json; charset=utf-8', extension: 'json' },
  ndjson: { mediaType: 'application/x-ndjson; charset=utf-8', extension: 'ndjson' },
  xml: { mediaType: 'text/xml; charset=utf-8', extension: 'xml' },
  yaml: { mediaType: 'text/yaml; charset=utf-8', extension: 'yaml' },
  xlsx: {
    mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    extension: 'xlsx',
  },
  parquet: { mediaType: 'application/vnd.apache.parquet', extension: 'parquet' },
};

/** @throws ServiceError INVALID_QUERY for an unknown format */
export function parseFormat(value: unknown): ExportFormat {
  const format = EXPORT_FORMATS.find((known) => known === value);
  if (format !== undefined) return format;
  throw invalidQuery(reason('export_format_unknown', { formats: EXPORT_FORMATS.join(', ') }));
}

/** `articles 20240229-134510.csv`: the time is UTC. */
export function fileName(collection: string, format: ExportFormat, now: Date): string {
  const [day = '', time = ''] = now.toISOString().replace(/[-:]/g, '').split('T');
  return withExtension(`${collection} ${day}-${time.slice(0, 6)}`, format);
}

/** A title with the extension of the format, unless it has that already. */
export function withExtension(title: string, format: ExportFormat): string {
  const extension = `.${FORMATS[format].extension}`;
  return title.toLowerCase().endsWith(extension) ? title : `${title}${extension}`;
}
