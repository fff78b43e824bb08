/** Opens a sheet of a workbook as a table file. */
import { reason } from '#core/base/errors/reason.ts';
import type { ImportParameters } from '#core/jobs/message/import-parameters.ts';
import { COLUMNS_MAX, type HeaderCell, WIDE_HEADER } from '../csv-rows.ts';
import type { DecompressionLimits } from '../decompress.ts';
import { syntaxFault, UnreadableFile } from '../row-fault.ts';
import { FRAME_HEAD } from '../table/cell-frames.ts';
import { Cells } from '../table/cells.ts';
import type { TableFile } from '../table/table-file.ts';
import type { TemporaryFile } from '../temporary-file.ts';
import { columnLetters } from './address.ts';
import { sheetFrames } from './sheet-frames.ts';
import { type OpenSheet, openSheet } from './workbook.ts';
import { ZipParts } from './zip-parts.ts';

/** The header and its row: the row of a number, by default the first one with a value. */
async function headerOf(
  sheet: OpenSheet,
  wanted: number | undefined,
): Promise<{ readonly row: number; readonly header: HeaderCell[] }> {
  const cells = new Cells();
  for await (const bytes of sheetFrames(sheet, (wanted ?? 1) - 1, () => undefined)) {
    for (let at = 0; at + FRAME_HEAD <= bytes.length; at += bytes.readUInt32LE(at)) {
      const row = bytes.readUInt32LE(at + 8);
      if (wanted !== undefined && row !== wanted) break;
      cells.find(bytes, at);
      if (!cells.hasValues()) continue;
      const names = Array.from({ length: cells.count }, (_, cell) => cells.text(cell));
      while (names.at(-1) === '') names.pop();
      return { row, header: names.map((name, cell) => ({ name, line: row, column: cell + 1 })) };
    }
    if (wanted !== undefined && bytes.length > 0) break;
  }
  const why =
    wanted === undefined ? reason('sheet_empty') : reason('header_row_empty', { row: wanted });
  throw new UnreadableFile(syntaxFault(why, null, { line: wanted ?? 1, column: 1 }));
}

/**
 * Opens the sheet that the parameters name.
 * @param file closed with the result; the caller closes it after an error
 * @throws ServiceError UNSUPPORTED_MEDIA_TYPE, CONTENT_TOO_LARGE
 * @throws {UnreadableFile}
 */
export async function openXlsx(
  file: TemporaryFile,
  { sheet: wanted, headerRow }: ImportParameters,
  limits: DecompressionLimits,
): Promise<TableFile> {
  const parts = await ZipParts.open(file, limits);
  const sheet = await openSheet(parts, wanted);
  const close = () => {
    sheet.strings.close();
    file.close();
  };
  try {
    const { row, header } = await headerOf(sheet, headerRow);
    if (header.length > COLUMNS_MAX) {
      throw new UnreadableFile(syntaxFault(WIDE_HEADER, null, { line: row, column: 1 }));
    }
    const scale = file.size / Math.max(1, parts.size(sheet.part));
    return {
      header,
      types: null,
      content: (read = () => undefined) => sheetFrames(sheet, row, (bytes) => read(bytes * scale)),
      address: (number, cell) => `${columnLetters(cell)}${row + number}`,
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}
