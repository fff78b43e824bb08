/** Finds the separator of a CSV file whose options do not name it. */
import { reason } from '#core/base/errors/reason.ts';
import { COLUMNS_MAX } from './csv-rows.ts';
import { CsvScanner } from './csv-scanner.ts';
import type { ImportFile } from './import-file.ts';
import { UnreadableFile } from './row-fault.ts';

/** The separators after the comma, in the order in which they are tried. */
const OTHERS = [';', '\t', '|'];
/** Bytes at the beginning of a file that must agree on a separator. */
const SAMPLE = 64 * 1024;

/** The same file with the other separators, when it may have one. */
function candidates(file: ImportFile): ImportFile[] {
  const { dialect, isOpen } = file;
  if (!isOpen || dialect === null) return [];
  const { quote, escape: before, comment } = dialect;
  return OTHERS.filter((sign) => ![quote, before, comment].includes(sign)).map((separator) => {
    return { ...file, dialect: { ...dialect, separator }, found: separator };
  });
}

/**
 * Reads the header of a file, with another separator when it does not fit with commas.
 * @param read throws {@link UnreadableFile} when the header does not fit
 */
export async function withSeparator<Header>(
  file: ImportFile,
  read: (file: ImportFile) => Promise<Header>,
): Promise<{ readonly file: ImportFile; readonly header: Header }> {
  try {
    return { file, header: await read(file) };
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    for (const other of candidates(file)) {
      try {
        return { file: other, header: await read(other) };
      } catch (misfit) {
        if (!(misfit instanceof UnreadableFile)) throw misfit;
      }
    }
    throw error;
  }
}

/** The number of cells that all records of a sample have; 0 when they differ. */
function commonWidth({ dialect, parameters }: ImportFile, sample: Buffer, isWhole: boolean) {
  if (dialect === null) return 0;
  const widths = new Set<number>();
  const handler = {
    record: ({ count }: { readonly count: number }) => widths.add(count),
    badEncoding: () => undefined,
  };
  const bound = {
    cells: COLUMNS_MAX,
    reason: reason('row_has_too_many_cells', { columnsMax: COLUMNS_MAX }),
  };
  const notation = { dialect, isLenient: parameters.quotes === 'lenient' };
  const scanner = new CsvScanner(handler, bound, notation);
  try {
    scanner.push(sample);
    if (isWhole) scanner.end();
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    return 0;
  }
  const [width = 0] = widths;
  return widths.size === 1 ? width : 0;
}

async function sampleOf(file: ImportFile): Promise<{ sample: Buffer; isWhole: boolean }> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of file.content()) {
    chunks.push(Buffer.from(chunk));
    length += chunk.length;
    if (length >= SAMPLE) return { sample: Buffer.concat(chunks), isWhole: false };
  }
  return { sample: Buffer.concat(chunks), isWhole: true };
}

/** The file with the separator by which all lines at its beginning have as many cells. */
export async function withAgreedSeparator(file: ImportFile): Promise<ImportFile> {
  const others = candidates(file);
  if (others.length === 0) return file;
  const { sample, isWhole } = await sampleOf(file);
  const agreed = [file, ...others].find((one) => commonWidth(one, sample, isWhole) > 1);
  return agreed ?? file;
}
