/** Writes items as a Parquet file, one row group after another while they arrive. */
import { zstdCompressSync } from 'node:zlib';
import { ParquetWriter } from 'hyparquet-writer';
import { ByteWriter } from 'hyparquet-writer/src/bytewriter.js';
import type { ItemColumn } from '#core/query/query.ts';
import { valueAt } from '../csv.ts';
import { exportedColumn, exportedValue } from './parquet-column.ts';

/** A row group ends with this many rows, or this many characters of JSON. */
const GROUP_ROWS = 50_000;
const GROUP_LENGTH = 8 * 1024 * 1024;

function sizeOf(value: unknown): number {
  return value instanceof Uint8Array ? value.length + 16 : 16;
}

/** Writes batches of items. @throws ServiceError UNPROCESSABLE_ENTITY */
export async function* parquetBytes(
  items: AsyncIterable<readonly unknown[]>,
  columns: readonly ItemColumn[],
): AsyncGenerator<Buffer> {
  const exported = columns.map(exportedColumn);
  const writer = new ByteWriter();
  const file = new ParquetWriter({
    ...{ writer, codec: 'ZSTD', compressors: { ZSTD: (input) => zstdCompressSync(input) } },
    ...{ createdBy: 'Sluice', statistics: false },
    schema: [
      { name: 'root', num_children: exported.length },
      ...exported.map(({ element }) => element),
    ],
  });
  let group: unknown[][] = exported.map(() => []);
  let rows = 0;
  let size = 0;
  const taken = () => {
    const bytes = Buffer.from(writer.getBytes());
    // The writer counts the offset of the file apart from its memory.
    writer.index = 0;
    return bytes;
  };
  const flush = () => {
    const columnData = exported.map(({ element }, at) => ({
      name: element.name,
      data: group[at] ?? [],
    }));
    file.write({ columnData, rowGroupSize: rows });
    group = exported.map(() => []);
    rows = 0;
    size = 0;
    return taken();
  };
  for await (const batch of items) {
    for (const item of batch) {
      for (const [at, column] of exported.entries()) {
        const source = columns[at];
        const value = source === undefined ? null : exportedValue(column, valueAt(item, source));
        group[at]?.push(value);
        size += sizeOf(value);
      }
      rows += 1;
      if (rows >= GROUP_ROWS || size >= GROUP_LENGTH) yield flush();
    }
  }
  if (rows > 0) yield flush();
  file.finish();
  yield taken();
}
