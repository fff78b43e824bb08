/** What the App reads of a file whose cells have types: the sheets of a workbook, the columns of Parquet. */
import { parquetNames } from './parquet-names.ts';
import type { Plan } from './plan.ts';
import type { Preview } from './preview.ts';
import { OtherWorkbook, readWorkbook, type Sheet, type SheetRow } from './workbook.ts';

export interface TableContent {
  readonly format: 'xlsx' | 'parquet';
  /** Empty where the App cannot read the file; the server can. */
  readonly sheets: readonly Sheet[];
}

/** A file without rows, whose columns are known. */
function onlyColumns(names: readonly string[]): Sheet {
  return { name: '', isVisible: true, rows: [{ number: 1, cells: names }] };
}

/** @throws {OtherWorkbook} */
export async function readTable(format: TableContent['format'], file: Blob): Promise<TableContent> {
  try {
    const sheets =
      format === 'xlsx' ? await readWorkbook(file) : [onlyColumns(await parquetNames(file))];
    return { format, sheets };
  } catch (error) {
    if (error instanceof OtherWorkbook) throw error;
    return { format, sheets: [] };
  }
}

const hasValue = ({ cells }: SheetRow) => cells.some((cell) => cell !== '');

/** The first rows of the sheet that the plan names, as the server chooses it. */
export function tablePreview({ sheets }: TableContent, plan: Plan, limit: number): Preview {
  const { sheet: wanted = '', headerRow = '' } = plan;
  const sheet =
    wanted === ''
      ? (sheets.find(({ isVisible }) => isVisible) ?? sheets[0])
      : (sheets.find(({ name }) => name === wanted) ?? sheets[Number(wanted) - 1]);
  const rows = (sheet?.rows ?? []).filter(hasValue);
  const place = headerRow === '' ? 0 : rows.findIndex(({ number }) => number === Number(headerRow));
  const columns = [...(rows[place]?.cells ?? [])];
  while (columns.at(-1) === '') columns.pop();
  const names = columns.filter((name) => name !== null);
  // Without all names no column can be mapped.
  if (names.length < columns.length) return { columns: [], rows: [] };
  const others = rows.slice(place + 1, place + 1 + limit);
  return { columns: names, rows: others.map(({ cells }) => cells.map((cell) => cell ?? '…')) };
}
