/** The parts of a workbook that its sheets need: names, formats of numbers, shared texts. */
import { reason } from '#core/base/errors/reason.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { syntaxFault, UnreadableFile } from '../row-fault.ts';
import { type MomentFormat, momentFormat } from './number-format.ts';
import { StringTable } from './string-table.ts';
import { type Attributes, readXml, requireShort, unescaped, type XmlHandler } from './xml-part.ts';
import { damagedWorkbook, type ZipParts } from './zip-parts.ts';

/** Sheets, relations or formats of one workbook; spreadsheets allow about 65,000 formats. */
const ENTRIES_MAX = 100_000;
/** Sheets of one workbook that an error names. */
const NAMED_MAX = 20;

interface SheetEntry {
  readonly name: string;
  readonly relation: string;
  readonly isVisible: boolean;
}

/** A sheet and what its cells refer to. */
export interface OpenSheet {
  readonly parts: ZipParts;
  /** The name of its part. */
  readonly part: string;
  readonly since1904: boolean;
  /** What each style shows as a date or a time. */
  readonly moments: readonly (MomentFormat | null)[];
  readonly strings: StringTable;
}

function attribute(attributes: Attributes, name: string): string | undefined {
  if (Object.hasOwn(attributes, name)) return attributes[name];
  const found = Object.keys(attributes).find((key) => key.endsWith(`:${name}`));
  return found === undefined ? undefined : attributes[found];
}

const IGNORED: XmlHandler = {
  open: () => undefined,
  close: () => undefined,
  text: () => undefined,
};

/** @throws {UnreadableFile} when a part lists more than a workbook can have */
function requireFew(part: string, entries: number): void {
  if (entries <= ENTRIES_MAX) return;
  throw damagedWorkbook(`${part} has more than ${ENTRIES_MAX} entries`);
}

function isTrue(text: string | undefined): boolean {
  return text === '1' || text === 'true';
}

/** The name of the part that a relation of a folder leads to. */
function resolved(folder: string, target: string): string {
  const path: string[] = [];
  for (const name of (target.startsWith('/') ? target : `${folder}${target}`).split('/')) {
    if (name === '..') path.pop();
    else if (name !== '.' && name !== '') path.push(name);
  }
  return path.join('/');
}

/** The targets of the relations of a part, by id, with their types. */
async function relationsOf(
  parts: ZipParts,
  part: string,
): Promise<Map<string, { readonly target: string; readonly type: string }>> {
  const folder = part.slice(0, part.lastIndexOf('/') + 1);
  const file = `${folder}_rels/${part.slice(folder.length)}.rels`;
  const found = new Map<string, { readonly target: string; readonly type: string }>();
  if (!parts.has(file)) return found;
  await readXml(file, parts.read(file), {
    ...IGNORED,
    open(name, attributes) {
      if (name !== 'Relationship' || attributes.TargetMode === 'External') return;
      const { Id: id = '', Target: target = '', Type: type = '' } = attributes;
      found.set(id, { target: resolved(folder, target), type });
      requireFew(file, found.size);
    },
  });
  return found;
}

/** @throws ServiceError UNSUPPORTED_MEDIA_TYPE for workbooks of other kinds */
function refuseOtherKinds(parts: ZipParts): void {
  const why = parts.has('xl/vbaProject.bin')
    ? reason('workbook_with_macros')
    : parts.has('xl/workbook.bin')
      ? reason('workbook_binary')
      : null;
  if (why === null) return;
  throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', { where: 'file', reason: why });
}

async function workbookPart(parts: ZipParts): Promise<string> {
  for (const { target, type } of (await relationsOf(parts, '')).values()) {
    if (type.endsWith('/officeDocument')) return target;
  }
  if (parts.has('xl/workbook.xml')) return 'xl/workbook.xml';
  throw new UnreadableFile(syntaxFault(reason('workbook_expected'), null, null));
}

async function styles(parts: ZipParts, part: string): Promise<(MomentFormat | null)[]> {
  const codes = new Map<number, string>();
  const formats: number[] = [];
  let isOfCells = false;
  await readXml(part, parts.read(part), {
    text: () => undefined,
    open(name, { numFmtId, formatCode }) {
      if (name === 'cellXfs') isOfCells = true;
      else if (name === 'xf' && isOfCells) formats.push(Number(numFmtId ?? 0));
      else if (name === 'numFmt' && formatCode !== undefined && !isOfCells) {
        codes.set(Number(numFmtId), formatCode);
      }
      requireFew(part, formats.length + codes.size);
    },
    close(name) {
      if (name === 'cellXfs') isOfCells = false;
    },
  });
  return formats.map((id) => momentFormat(id, codes.get(id)));
}

/** The shared texts, without their phonetic guides. */
async function sharedStrings(parts: ZipParts, part: string): Promise<StringTable> {
  const table = new StringTable();
  let pieces = '';
  let isText = false;
  let guides = 0;
  try {
    await readXml(part, parts.read(part), {
      open(name) {
        if (name === 'si') pieces = '';
        else if (name === 'rPh') guides += 1;
        else if (name === 't') isText = guides === 0;
      },
      text(text) {
        if (!isText) return;
        pieces += text;
        requireShort(part, pieces);
      },
      close(name) {
        if (name === 'si') table.add(unescaped(pieces));
        else if (name === 'rPh') guides -= 1;
        else if (name === 't') isText = false;
      },
    });
  } catch (error) {
    table.close();
    throw error;
  }
  table.finish();
  return table;
}

function chosen(sheets: readonly SheetEntry[], wanted: string | undefined): SheetEntry {
  const found =
    wanted === undefined
      ? (sheets.find(({ isVisible }) => isVisible) ?? sheets[0])
      : (sheets.find(({ name }) => name === wanted) ??
        (/^[1-9]\d{0,4}$/.test(wanted) ? sheets[Number(wanted) - 1] : undefined));
  if (found !== undefined) return found;
  if (wanted === undefined) throw damagedWorkbook('it has no sheet');
  const names = sheets
    .slice(0, NAMED_MAX)
    .map(({ name }) => JSON.stringify(name))
    .join(', ');
  const why = reason('sheet_unknown', { sheet: JSON.stringify(wanted), names });
  throw new UnreadableFile(syntaxFault(why, null, null));
}

/**
 * Opens a sheet by its name or its number, by default the first one that is visible.
 * @throws ServiceError UNSUPPORTED_MEDIA_TYPE, CONTENT_TOO_LARGE
 * @throws {UnreadableFile} when the workbook is damaged or has no such sheet
 */
export async function openSheet(parts: ZipParts, wanted: string | undefined): Promise<OpenSheet> {
  refuseOtherKinds(parts);
  const book = await workbookPart(parts);
  const relations = await relationsOf(parts, book);
  const sheets: SheetEntry[] = [];
  let since1904 = false;
  await readXml(book, parts.read(book), {
    ...IGNORED,
    open(name, attributes) {
      if (name === 'workbookPr') since1904 = isTrue(attributes.date1904);
      if (name !== 'sheet') return;
      const relation = attribute(attributes, 'id') ?? '';
      const { name: sheet = '', state = 'visible' } = attributes;
      // Sheets of charts and macros have no cells.
      if (relations.get(relation)?.type.endsWith('/worksheet') !== true) return;
      sheets.push({ name: sheet, relation, isVisible: state === 'visible' });
      requireFew(book, sheets.length);
    },
  });
  const part = relations.get(chosen(sheets, wanted).relation)?.target ?? '';
  if (!parts.has(part)) throw damagedWorkbook(`the part ${part} is missing`);
  const targetOf = (kind: string) =>
    [...relations.values()].find(({ type }) => type.endsWith(`/${kind}`))?.target;
  const styled = targetOf('styles');
  const shared = targetOf('sharedStrings');
  const moments = styled === undefined || !parts.has(styled) ? [] : await styles(parts, styled);
  const strings =
    shared === undefined || !parts.has(shared)
      ? new StringTable()
      : await sharedStrings(parts, shared);
  return { parts, part, since1904, moments, strings };
}
