/**
 * The report of the rows that an import skipped, as CSV in file order. Each fault has the line and
 * the text of its row, which are read from the file again.
 */
import { stringify } from 'csv-stringify/sync';
import { raw, sql } from '#core/database/sql.ts';
import { isConcealed } from '#core/model/catalog/catalog.ts';
import { CopyIn } from '../copy/copy-in.ts';
import { MisplacedValue } from '../file/cell-text.ts';
import type { FileColumn } from '../file/file-column.ts';
import { rowReader } from '../file/import-file.ts';
import type { Row } from '../file/row-reader.ts';
import type { ImportRun } from '../run/import-run.ts';
import type { RejectedRows } from '../run/rejected-rows.ts';
import type { RejectedFile, RejectedRow, RejectionReason } from './rejected-file.ts';
import { WrittenValues } from './written-values.ts';

/** New columns must be last, since clients may use column positions. */
export const REPORT_COLUMNS = [
  ...['row', 'field', 'value', 'code', 'reason', 'line', 'original'],
  ...['reason_code', 'reason_parameters'],
];

/** The maximum length of a row's text, and of all texts together, in a report. */
const ORIGINAL_MAX = 4_096;
const ORIGINALS_MAX = 256 * 1024 * 1024;
const FETCHED = 1_000;

interface Original {
  readonly line: number;
  readonly text: string;
  /** The texts of its cells, where options convert them. */
  readonly cells: readonly (string | null)[] | null;
  /** In the notation of the file; null when no such file is written. */
  readonly rejected: RejectedRow | null;
}

interface Fault {
  readonly row: number;
  readonly field: string | null;
  readonly value: string | null;
  readonly code: string | null;
  readonly reason: string | null;
  readonly reasonCode: string | null;
  /** JSON. */
  readonly reasonParameters: string | null;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** The columns of the faults, in the order in which they were collected. */
const STORED = sql`"row", "field", "value", "code", "reason", "reason_code", "reason_parameters"`;

/** Stores the faults where they can be sorted. */
export async function loadFaults({ connection }: ImportRun, rejected: RejectedRows): Promise<void> {
  await connection.run(sql`CREATE TEMPORARY TABLE sluice_rejected (
    "position" int8 GENERATED ALWAYS AS IDENTITY, "row" int8, "field" text, "value" text,
    "code" text, "reason" text, "reason_code" text, "reason_parameters" text) ON COMMIT DROP`);
  const copy = new CopyIn(
    connection,
    sql`COPY pg_temp.sluice_rejected (${STORED}) FROM STDIN (ENCODING 'UTF8')`,
  );
  try {
    for await (const piece of rejected.read()) await copy.write(piece);
    await copy.end();
  } catch (error) {
    await copy.abort();
    throw error;
  }
}

/** The faults by row. */
async function* sorted({ connection }: ImportRun): AsyncGenerator<Fault> {
  await connection.run(sql`DECLARE sluice_faults NO SCROLL CURSOR FOR
    SELECT ${STORED} FROM pg_temp.sluice_rejected ORDER BY "row", "position"`);
  for (;;) {
    const { rows } = await connection.run(sql`FETCH ${raw(String(FETCHED))} FROM sluice_faults`);
    for (const { row, field, value, code, reason, reason_code, reason_parameters } of rows) {
      yield {
        row: Number(row),
        field: textOf(field),
        value: textOf(value),
        code: textOf(code),
        reason: textOf(reason),
        reasonCode: textOf(reason_code),
        reasonParameters: textOf(reason_parameters),
      };
    }
    if (rows.length < FETCHED) return;
  }
}

/** The numbers of the rows with faults, in order. */
async function rowNumbers({ connection }: ImportRun, count: number): Promise<Float64Array> {
  const numbers = new Float64Array(count);
  await connection.run(sql`DECLARE sluice_rows NO SCROLL CURSOR FOR
    SELECT DISTINCT "row" FROM pg_temp.sluice_rejected ORDER BY "row"`);
  for (let at = 0; at < count; ) {
    const { rows } = await connection.run(sql`FETCH 20000 FROM sluice_rows`);
    if (rows.length === 0) break;
    for (const { row } of rows) {
      numbers[at] = Number(row);
      at += 1;
    }
  }
  return numbers;
}

/** Whether a row contains a secret, which a report must not repeat. */
function givesSecret(row: Row, columns: readonly FileColumn[]): boolean {
  return columns.some(({ masked }, place) => {
    if (!masked) return false;
    try {
      return (row.value(place) ?? null) !== null;
    } catch (error) {
      if (error instanceof MisplacedValue) return true;
      throw error;
    }
  });
}

/** Whether an omitted column has the name of a field with secrets. */
function leavesOutSecrets({ options }: ImportRun): boolean {
  const fields = options.catalog.collections.get(options.collection)?.fields;
  return Object.entries(options.parameters.mapping ?? {}).some(([header, name]) => {
    const field = name === null ? fields?.get(header) : undefined;
    return field !== undefined && isConcealed(field);
  });
}

/**
 * Reads the file again; each step yields the number of the last row read, and the requested rows.
 */
async function* originals(
  run: ImportRun,
  columns: readonly FileColumn[],
  {
    wanted,
    values,
    file: rejected,
  }: {
    readonly wanted: Float64Array;
    readonly values: WrittenValues;
    readonly file: RejectedFile | null;
  },
): AsyncGenerator<{ readonly last: number; readonly found: ReadonlyMap<number, Original> }> {
  const { file, options } = run;
  const isSecret = leavesOutSecrets(run);
  let found = new Map<number, Original>();
  let next = 0;
  let last = 0;
  let length = 0;
  const take = (
    row: number,
    line: number,
    source: () => string | null,
    { cells, again }: { cells: Original['cells']; again: () => RejectedRow | null },
  ) => {
    last = row;
    if (wanted[next] !== row) return;
    next += 1;
    const text = (length < ORIGINALS_MAX && !isSecret ? source() : null) ?? '';
    length += text.length;
    const cut = text.length > ORIGINAL_MAX ? `${text.slice(0, ORIGINAL_MAX)}…` : text;
    found.set(row, { line, text: cut, cells, rejected: again() });
  };
  const hasSecrets = columns.some(({ masked }) => masked);
  const reader = rowReader(file, columns, {
    row: (row) =>
      take(row.number, row.line, () => (givesSecret(row, columns) ? null : row.source()), {
        cells: wanted[next] === row.number ? values.texts(row) : null,
        again: () => rejected?.row(row, columns) ?? null,
      }),
    // The columns of such a row are unknown.
    fault: ({ row, place }, source) =>
      take(row ?? 0, place?.line ?? 0, () => (hasSecrets ? null : source), {
        cells: null,
        again: () => rejected?.malformed(row ?? 0, source, columns) ?? null,
      }),
    skipped: () => undefined,
    member: () => undefined,
  });
  for await (const chunk of file.content()) {
    options.signal.throwIfAborted();
    reader.push(chunk);
    yield { last, found };
    found = new Map();
  }
  reader.end();
  yield { last: Number.POSITIVE_INFINITY, found };
}

/** Collects the faults of one row for the file of rejected rows. */
class CollectedRow {
  readonly #file: RejectedFile | null;
  #current: { number: number; row: RejectedRow; reasons: RejectionReason[] } | null = null;

  constructor(file: RejectedFile | null) {
    this.#file = file;
  }

  add(number: number, row: RejectedRow, reason: RejectionReason): void {
    if (this.#current?.number !== number) {
      this.end();
      this.#current = { number, row, reasons: [] };
    }
    this.#current?.reasons.push(reason);
  }

  end(): void {
    if (this.#current !== null) this.#file?.add(this.#current.row, this.#current.reasons);
    this.#current = null;
  }
}

/** The report in pieces, of faults that are loaded. @param file also receives the rejected rows */
export async function* errorReport(
  run: ImportRun,
  columns: readonly FileColumn[],
  rejected: RejectedRows,
  file: RejectedFile | null = null,
): AsyncGenerator<Buffer> {
  const wanted = await rowNumbers(run, rejected.rows);
  const values = new WrittenValues(run, columns);
  const faults = sorted(run);
  let fault = await faults.next();
  const collected = new CollectedRow(file);
  yield Buffer.from(stringify([REPORT_COLUMNS]));
  for await (const { last, found } of originals(run, columns, { wanted, values, file })) {
    let records: (string | number | null)[][] = [];
    while (fault.done !== true && fault.value.row <= last) {
      const { row, field, value, code, reason, reasonCode, reasonParameters } = fault.value;
      const { line = null, text = null, cells = null, rejected: own } = found.get(row) ?? {};
      if (own) collected.add(row, own, { field, reason });
      const written = values.value(field, value, cells);
      const named = [reasonCode, reasonParameters];
      records.push([row, field, written, code, reason, line, text, ...named]);
      if (records.length >= FETCHED) {
        yield Buffer.from(stringify(records, { escape_formulas: true }));
        records = [];
      }
      fault = await faults.next();
    }
    collected.end();
    if (records.length > 0) yield Buffer.from(stringify(records, { escape_formulas: true }));
  }
}
