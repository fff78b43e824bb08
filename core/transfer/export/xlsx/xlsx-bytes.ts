/** Writes items as a workbook with one sheet, while they arrive. */
import { PassThrough, Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { reason } from '#core/base/errors/reason.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import type { ItemColumn } from '#core/query/query.ts';
import { SHEET_ROWS } from '../../file/xlsx/address.ts';
import { valueAt } from '../csv.ts';
import { cellXml } from './sheet-cells.ts';

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATED = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006/relationships';
const TYPES = 'http://schemas.openxmlformats.org/package/2006/content-types';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const SHEET = 'xl/worksheets/sheet1.xml';

/** The parts besides the sheet. */
const PARTS: readonly (readonly [string, string])[] = [
  [
    '[Content_Types].xml',
    `<Types xmlns="${TYPES}"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/><Override PartName="/${SHEET}" ContentType="${TYPE}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/></Types>`,
  ],
  [
    '_rels/.rels',
    `<Relationships xmlns="${PACKAGE}"><Relationship Id="rId1" Type="${RELATED}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  ],
  [
    'xl/workbook.xml',
    `<workbook xmlns="${MAIN}" xmlns:r="${RELATED}"><sheets><sheet name="Items" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  ],
  [
    'xl/_rels/workbook.xml.rels',
    `<Relationships xmlns="${PACKAGE}"><Relationship Id="rId1" Type="${RELATED}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${RELATED}/styles" Target="styles.xml"/></Relationships>`,
  ],
  [
    'xl/styles.xml',
    `<styleSheet xmlns="${MAIN}"><numFmts count="3"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/><numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss.000"/><numFmt numFmtId="166" formatCode="hh:mm:ss.000"/></numFmts><fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="4"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="166" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs></styleSheet>`,
  ],
];

const NAMES: ItemColumn = { path: [], isDocument: false };

function rowXml(values: readonly unknown[], columns: readonly ItemColumn[], row: number): string {
  const cells = values.map((value, column) =>
    cellXml(value, { column, row }, columns[column] ?? NAMES),
  );
  return `<row r="${row}">${cells.join('')}</row>`;
}

/** The sheet. @throws ServiceError UNPROCESSABLE_ENTITY for more than a sheet can hold */
async function* sheetXml(
  items: AsyncIterable<readonly unknown[]>,
  columns: readonly ItemColumn[],
): AsyncGenerator<string> {
  const names = columns.map(({ path }) => path.join('.'));
  yield `${HEAD}<worksheet xmlns="${MAIN}"><sheetData>${rowXml(names, [], 1)}`;
  let row = 1;
  for await (const batch of items) {
    let text = '';
    for (const item of batch) {
      row += 1;
      if (row > SHEET_ROWS) {
        const limit = SHEET_ROWS - 1;
        const why = reason('too_many_rows_for_workbook', { limit });
        throw new ServiceError('UNPROCESSABLE_ENTITY', { limit, reason: why });
      }
      text += rowXml(
        columns.map((column) => valueAt(item, column)),
        columns,
        row,
      );
    }
    if (text !== '') yield text;
  }
  yield '</sheetData></worksheet>';
}

/** Writes batches of items. @throws ServiceError UNPROCESSABLE_ENTITY */
export async function* xlsxBytes(
  items: AsyncIterable<readonly unknown[]>,
  columns: readonly ItemColumn[],
): AsyncGenerator<Buffer> {
  const zip = new ZipFile();
  for (const [name, content] of PARTS) zip.addBuffer(Buffer.from(HEAD + content), name);
  const sheet = Readable.from(sheetXml(items, columns), { objectMode: false });
  const out = new PassThrough();
  sheet.on('error', (error) => out.destroy(error));
  zip.on('error', (error) =>
    out.destroy(error instanceof Error ? error : new Error(String(error))),
  );
  zip.addReadStream(sheet, SHEET);
  zip.end();
  zip.outputStream.pipe(out);
  try {
    for await (const chunk of out) if (Buffer.isBuffer(chunk)) yield chunk;
  } finally {
    sheet.destroy();
  }
}
