/**
 * Shows values in reports as the file contains them, if import options convert its notation of
 * numbers, dates and times. They are read from the file again.
 */
import { conversionOf } from '../file/cell-format.ts';
import type { FileColumn } from '../file/file-column.ts';
import { rowReader } from '../file/import-file.ts';
import { displayValue, type RowFault, UnreadableFile } from '../file/row-fault.ts';
import type { Row } from '../file/row-reader.ts';
import type { ImportRun } from '../run/import-run.ts';

/** The texts of a row, by column index. */
type Texts = readonly (string | null)[];

export class WrittenValues {
  readonly #columns: readonly FileColumn[];
  /** Columns whose values are converted. */
  readonly #converted: ReadonlySet<number>;

  constructor({ options }: ImportRun, columns: readonly FileColumn[]) {
    this.#columns = columns;
    this.#converted = new Set(
      columns.flatMap((column, place) =>
        column.masked || conversionOf(column, options.parameters) === null ? [] : [place],
      ),
    );
  }

  /** The texts of a row; null without converted columns. */
  texts(row: Row): Texts | null {
    if (this.#converted.size === 0) return null;
    return this.#columns.map((_, place) => displayValue(row.written(place)));
  }

  /** The value of a fault, of one field or of several, by the texts of its row. */
  value(field: string | null, value: string | null, texts: Texts | null): string | null {
    if (field === null || value === null || texts === null) return value;
    const places = this.#placesOf(field);
    const written = places.map((place) => texts[place] ?? null);
    if (!places.some((place) => this.#converted.has(place)) || written.includes(null)) return value;
    return displayValue(written.join(','));
  }

  #placesOf(field: string): readonly number[] {
    const placeOf = (name: string) => this.#columns.findIndex((column) => column.name === name);
    const one = placeOf(field);
    return one < 0 ? field.split(',').map(placeOf) : [one];
  }

  /** Whether the value of a fault may differ from the file. */
  concerns({ row, field, value }: RowFault): boolean {
    if (row === null || field === null || value === null) return false;
    return this.#placesOf(field).some((place) => this.#converted.has(place));
  }
}

/** The faults of a rejected file, with values as the file contains them. */
export async function withWrittenValues(
  run: ImportRun,
  columns: readonly FileColumn[],
  faults: readonly [RowFault, ...RowFault[]],
): Promise<readonly [RowFault, ...RowFault[]]> {
  const values = new WrittenValues(run, columns);
  const wanted = new Set(faults.flatMap((fault) => (values.concerns(fault) ? [fault.row] : [])));
  if (wanted.size === 0) return faults;
  const found = new Map<number | null, Texts | null>();
  const reader = rowReader(run.file, columns, {
    row: (row) => {
      if (wanted.has(row.number)) found.set(row.number, values.texts(row));
    },
    fault: () => undefined,
    skipped: () => undefined,
    member: () => undefined,
  });
  try {
    for await (const chunk of run.file.content()) {
      run.options.signal.throwIfAborted();
      reader.push(chunk);
      if (found.size === wanted.size) break;
    }
    if (found.size < wanted.size) reader.end();
  } catch (error) {
    // Rows after the unreadable position have no faults.
    if (!(error instanceof UnreadableFile)) throw error;
  }
  const told = ({ field, value, row, ...fault }: RowFault): RowFault => {
    return { ...fault, row, field, value: values.value(field, value, found.get(row) ?? null) };
  };
  const [first, ...rest] = faults;
  return [told(first), ...rest.map(told)];
}
