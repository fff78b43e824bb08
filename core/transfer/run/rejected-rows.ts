/**
 * The faults of rows that an import skips, in an unlinked file: it needs no memory, and disappears
 * with the process. Each has the form of a COPY row.
 */
import { storable } from '#core/jobs/storable-json.ts';
import { CopyText } from '../file/copy-text.ts';
import type { RowFault } from '../file/row-fault.ts';
import { TemporaryFile } from '../file/temporary-file.ts';

/** The maximum number of rows that an import may skip. */
export const REJECTED_MAX = 1_000_000;
const BATCH = 256 * 1024;

/** The number of faulty rows exceeds the limit. */
export class TooManyRejected extends Error {
  readonly max: number;

  constructor(max: number) {
    super(`more than ${max} rows are faulty`);
    this.max = max;
  }
}

/** A state of the collected faults, for a rollback. */
export interface Checkpoint {
  readonly rows: number;
  readonly bytes: number;
  readonly first: number;
}

export class RejectedRows {
  /** The number of skipped rows. */
  rows = 0;
  readonly #max: number;
  readonly #file = new TemporaryFile();
  readonly #out = new CopyText();

  /** The first faults, for a refusal of the whole file. */
  readonly first: RowFault[] = [];
  readonly #shown: (fault: RowFault) => RowFault;
  readonly #firstMax: number;

  constructor(options: {
    /** The maximum number of rows. */
    max: number;
    firstMax: number;
    /** Removes parts of a fault that are hidden from the reader of the report. */
    shown: (fault: RowFault) => RowFault;
  }) {
    this.#max = Math.min(options.max, REJECTED_MAX);
    this.#firstMax = options.firstMax;
    this.#shown = options.shown;
  }

  /** Counts skipped rows. @throws {TooManyRejected} */
  count(rows: number): void {
    this.rows += rows;
    if (this.rows > this.#max) throw new TooManyRejected(this.#max);
  }

  /** Stores a fault of a row. */
  add(fault: RowFault): void {
    if (this.first.length < this.#firstMax) this.first.push(fault);
    const { row, field, value, code, reason } = this.#shown(fault);
    const out = this.#out;
    out.integer(row ?? 0);
    const { sentence, parameters } = reason;
    const listed = Object.keys(parameters).length === 0 ? null : JSON.stringify(parameters);
    for (const text of [field, value, code, sentence, reason.code, listed]) {
      out.tab();
      if (text === null) out.null();
      else out.text(storable(text));
    }
    out.endRow();
    if (out.length >= BATCH) this.#flush();
  }

  #flush(): void {
    const taken = this.#out.take();
    this.#file.append(taken);
    this.#out.giveBack(taken);
  }

  mark(): Checkpoint {
    this.#flush();
    return { rows: this.rows, bytes: this.#file.size, first: this.first.length };
  }

  /** Discards the faults since the checkpoint. */
  rewind({ rows, bytes, first }: Checkpoint): void {
    this.#flush();
    this.#file.truncate(bytes);
    this.rows = rows;
    this.first.length = first;
  }

  /** All collected faults, as the text of a COPY. */
  read(): AsyncIterable<Buffer> {
    this.#flush();
    return this.#file.stream();
  }

  close(): void {
    this.#file.close();
  }
}
