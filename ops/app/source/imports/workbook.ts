/** Reads the names and the first rows of the sheets of a workbook, to show and to map its columns. */
import { type Archive, openArchive } from './archive.ts';
import { attributesOf, elementsOf, textsOf, unescaped } from './xml.ts';

/** The cells of a row; a cell that cannot be shown is null. */
export interface SheetRow {
  /** Its number in the sheet, from 1. */
  readonly number: number;
  readonly cells: readonly (string | null)[];
}

export interface Sheet {
  readonly name: string;
  readonly isVisible: boolean;
  readonly rows: readonly SheetRow[];
}

/** The workbook has another kind than the server reads. */
export class OtherWorkbook extends Error {
  readonly kind: 'macros' | 'binary';

  constructor(kind: OtherWorkbook['kind']) {
    super(kind);
    this.kind = kind;
  }
}

const SHEETS_MAX = 50;
const ROWS_MAX = 60;
const COLUMNS_MAX = 1_000;
const LIST_LENGTH = 1024 * 1024;
const SHEET_LENGTH = 256 * 1024;
const TEXTS_LENGTH = 4 * 1024 * 1024;
const DAY = 86_400_000;
/** Numbers of the formats of dates and times that all workbooks have. */
const isDateNumber = (id: number) => (id >= 14 && id <= 22) || (id >= 45 && id <= 47);

interface Shared {
  readonly texts: readonly string[];
  /** Of each style of cells: whether it shows a date. */
  readonly dates: readonly boolean[];
  readonly first: number;
}

/** The place of the column of an address, such as 2 for `C17`. */
function columnOf(address: string): number {
  const letters = /^[A-Z]{1,3}/.exec(address)?.[0] ?? '';
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

/** A number of days as a date, with its time where it has one. */
function dateText(value: string, first: number): string {
  const moment = new Date(first + Math.round(Number(value) * DAY));
  if (value === '' || Number.isNaN(moment.getTime())) return value;
  const text = moment.toISOString().slice(0, 19).replace('T', ' ');
  return text.endsWith(' 00:00:00') ? text.slice(0, 10) : text;
}

function cellText(attributes: string, content: string, shared: Shared): string | null {
  const { t: type = 'n', s: style = '0' } = attributesOf(attributes);
  const value = unescaped(elementsOf(content, 'v').next().value?.content ?? '');
  if (type === 's') return shared.texts[Number(value)] ?? null;
  if (type === 'inlineStr') return textsOf(content);
  if (type === 'b') return value === '1' ? 'true' : 'false';
  return type === 'n' && shared.dates[Number(style)] ? dateText(value, shared.first) : value;
}

function rowsOf(sheet: string, shared: Shared): SheetRow[] {
  const rows: SheetRow[] = [];
  let number = 0;
  for (const row of elementsOf(sheet, 'row')) {
    number = Number(attributesOf(row.attributes).r ?? number + 1);
    const cells: (string | null)[] = [];
    for (const { attributes, content } of elementsOf(row.content, 'c')) {
      const { r: address } = attributesOf(attributes);
      const column = address === undefined ? cells.length : columnOf(address);
      if (column >= COLUMNS_MAX) break;
      while (cells.length < column) cells.push('');
      cells[column] = cellText(attributes, content, shared);
    }
    rows.push({ number, cells });
    if (rows.length === ROWS_MAX) break;
  }
  return rows;
}

function datesOf(styles: string): boolean[] {
  const codes = new Map<string, string>();
  for (const { attributes } of elementsOf(styles, 'numFmt')) {
    const { numFmtId: id = '', formatCode: code = '' } = attributesOf(attributes);
    codes.set(id, code.replace(/"[^"]*"|\[[^\]]*\]|\\./g, ''));
  }
  const formats = elementsOf(styles, 'cellXfs').next().value?.content ?? '';
  return [...elementsOf(formats, 'xf')].map(({ attributes }) => {
    const { numFmtId: id = '0' } = attributesOf(attributes);
    const code = codes.get(id);
    return code === undefined ? isDateNumber(Number(id)) : /[ymdhs]/i.test(code);
  });
}

async function sharedOf(archive: Archive, book: string): Promise<Shared> {
  const texts = (await archive.text('xl/sharedStrings.xml', TEXTS_LENGTH)) ?? '';
  const styles = (await archive.text('xl/styles.xml', LIST_LENGTH)) ?? '';
  const settings = attributesOf(elementsOf(book, 'workbookPr').next().value?.attributes ?? '');
  const is1904 = settings.date1904 === '1' || settings.date1904 === 'true';
  return {
    texts: [...elementsOf(texts, 'si')].map(({ content }) => textsOf(content)),
    dates: datesOf(styles),
    first: is1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30),
  };
}

/** @throws {OtherWorkbook}, and when the file is no workbook, or too large to be read here */
export async function readWorkbook(file: Blob): Promise<readonly Sheet[]> {
  const archive = await openArchive(file);
  if (archive.has('xl/vbaProject.bin')) throw new OtherWorkbook('macros');
  if (archive.has('xl/workbook.bin')) throw new OtherWorkbook('binary');
  const book = (await archive.text('xl/workbook.xml', LIST_LENGTH)) ?? '';
  const links = (await archive.text('xl/_rels/workbook.xml.rels', LIST_LENGTH)) ?? '';
  const parts = new Map(
    [...elementsOf(links, 'Relationship')].flatMap(({ attributes }) => {
      const { Id: id = '', Target: target = '', Type: type = '' } = attributesOf(attributes);
      const part = target.startsWith('/') ? target.slice(1) : `xl/${target}`;
      return type.endsWith('/worksheet') ? [[id, part] as const] : [];
    }),
  );
  const shared = await sharedOf(archive, book);
  const sheets: Sheet[] = [];
  for (const { attributes } of elementsOf(book, 'sheet')) {
    const { name = '', state = 'visible', ...others } = attributesOf(attributes);
    const part = parts.get(others['r:id'] ?? others.id ?? '');
    if (part === undefined) continue;
    const text = (await archive.text(part, SHEET_LENGTH)) ?? '';
    sheets.push({ name, isVisible: state === 'visible', rows: rowsOf(text, shared) });
    if (sheets.length === SHEETS_MAX) break;
  }
  return sheets;
}
