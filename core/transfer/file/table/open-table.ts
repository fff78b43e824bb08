/** Opens files whose cells are typed. They are read at any position, so they lie in a temporary file. */
import type { ImportParameters } from '#core/jobs/message/import-parameters.ts';
import type { DecompressionLimits } from '../decompress.ts';
import { openParquet } from '../parquet/parquet-file.ts';
import { TemporaryFile } from '../temporary-file.ts';
import { openXlsx } from '../xlsx/xlsx-file.ts';
import type { TableFile } from './table-file.ts';

/** The content of a table file. */
export interface TableContent {
  readonly format: 'xlsx' | 'parquet';
  readonly content: AsyncIterable<Buffer>;
}

/**
 * Opens a table file; the caller closes it.
 * @throws ServiceError UNSUPPORTED_MEDIA_TYPE, CONTENT_TOO_LARGE
 * @throws {UnreadableFile} when it is damaged, or its header is missing
 */
export async function openTable(
  { format, content }: TableContent,
  parameters: ImportParameters,
  limits: DecompressionLimits,
): Promise<TableFile> {
  const file = await TemporaryFile.of(content);
  try {
    return format === 'xlsx'
      ? await openXlsx(file, parameters, limits)
      : await openParquet(file, limits);
  } catch (error) {
    file.close();
    throw error;
  }
}
