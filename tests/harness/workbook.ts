/** Workbooks for tests, from the XML of their parts. */
import { ZipFile } from 'yazl';

/** The parts of a workbook that tests vary; the others are as small as they can be. */
export interface WorkbookParts {
  /** The rows of the first sheet: the content of `sheetData`. */
  readonly rows: string;
  /** The names of the sheets; all others are empty. */
  readonly sheets?: readonly string[];
  /** Shared texts: the content of `sst`. */
  readonly shared?: string;
  /** The formats of the cells' styles, by number. */
  readonly formats?: readonly string[];
  readonly since1904?: boolean;
  /** Further parts, or others than those above. */
  readonly parts?: Readonly<Record<string, string | Buffer>>;
}

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATED = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006/relationships';

function sheetXml(rows: string): string {
  return `<?xml version="1.0"?><worksheet xmlns="${MAIN}"><sheetData>${rows}</sheetData></worksheet>`;
}

/** A ZIP archive of parts. */
async function archive(parts: Readonly<Record<string, string | Buffer>>): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, content] of Object.entries(parts)) zip.addBuffer(Buffer.from(content), name);
  zip.end();
  const chunks: Buffer[] = [];
  for await (const chunk of zip.outputStream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/** An .xlsx file. */
export async function workbook({
  rows,
  sheets = ['Sheet1'],
  shared = '',
  formats = [],
  since1904 = false,
  parts = {},
}: WorkbookParts): Promise<Buffer> {
  const listed = sheets.map(
    (name, at) => `<sheet name="${name}" sheetId="${at + 1}" r:id="s${at}"/>`,
  );
  const relations = sheets.map(
    (_, at) =>
      `<Relationship Id="s${at}" Type="${RELATED}/worksheet" Target="worksheets/${at}.xml"/>`,
  );
  const numbered = formats.map(
    (code, at) => `<numFmt numFmtId="${200 + at}" formatCode="${code}"/>`,
  );
  const styles = formats.map((_, at) => `<xf numFmtId="${200 + at}"/>`);
  return archive({
    '_rels/.rels': `<Relationships xmlns="${PACKAGE}"><Relationship Id="b" Type="${RELATED}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${RELATED}"><workbookPr date1904="${since1904}"/><sheets>${listed.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${PACKAGE}">${relations.join('')}<Relationship Id="t" Type="${RELATED}/styles" Target="styles.xml"/><Relationship Id="u" Type="${RELATED}/sharedStrings" Target="sharedStrings.xml"/></Relationships>`,
    'xl/styles.xml': `<styleSheet xmlns="${MAIN}"><numFmts>${numbered.join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${styles.join('')}</cellXfs></styleSheet>`,
    'xl/sharedStrings.xml': `<sst xmlns="${MAIN}">${shared}</sst>`,
    ...Object.fromEntries(
      sheets.map((_, at) => [`xl/worksheets/${at}.xml`, sheetXml(at === 0 ? rows : '')]),
    ),
    ...parts,
  });
}
