/**
 * The rejected rows as a file in the notation of the imported one, ready to be corrected and sent
 * again. It is collected in an unlinked file while the report is written.
 */

import { isConcealed } from '#core/model/catalog/catalog.ts';
import { type FileColumn, isReason } from '../file/file-column.ts';
import { isAdded, ROW_COLUMN } from '../file/ignored-columns.ts';
import { fieldOf, hasCells, headerOf } from '../file/import-file.ts';
import type { NestedColumns } from '../file/nested-column.ts';
import type { Row } from '../file/row-reader.ts';
import { TemporaryFile } from '../file/temporary-file.ts';
import type { ImportRun } from '../run/import-run.ts';
import { type RejectedFormat, rejectedFormat } from './rejected-format.ts';

/** The maximum number of bytes of all rejected rows. */
const BYTES_MAX = 256 * 1024 * 1024;
/** The maximum number of characters of the faults of one row. */
const REASON_MAX = 4_096;

/** A row in the notation of the file, except what is added to it. */
export interface RejectedRow {
  /** The number of the row in the first file. */
  readonly row: string;
  readonly rest: string;
}

/** Why a row is rejected. */
export interface RejectionReason {
  readonly field: string | null;
  readonly reason: string | null;
}

export class RejectedFile {
  readonly #format: RejectedFormat;
  readonly #header: readonly string[];
  /** The names of columns and members with secrets, which the file does not repeat. */
  readonly #secret: ReadonlySet<string>;
  readonly #related: NestedColumns;
  readonly #file = new TemporaryFile();
  #isBegun = false;

  private constructor(
    format: RejectedFormat,
    names: { readonly header: readonly string[]; readonly secret: ReadonlySet<string> },
    related: NestedColumns,
  ) {
    this.#format = format;
    this.#header = names.header;
    this.#secret = names.secret;
    this.#related = related;
    this.#write(format.head);
  }

  /** Begins the file of a run. */
  static async open({ file, options, related }: ImportRun): Promise<RejectedFile> {
    const cells = hasCells(file.format) ? await headerOf(file) : [];
    const header = cells.map(({ name }) => name);
    const fields = options.catalog.collections.get(options.collection)?.fields;
    const concealed = [...(fields?.values() ?? [])].filter(isConcealed).map(({ name }) => name);
    const mapped = Object.keys(file.parameters.mapping ?? {});
    const names = new Set([...header, ...mapped, ...concealed]);
    const isSecret = (name: string) =>
      concealed.includes(name) || concealed.includes(fieldOf(file, name) ?? name);
    const own = header.filter((name) => !isAdded(name));
    const secret = new Set([...names].filter(isSecret));
    return new RejectedFile(rejectedFormat(file, own), { header, secret }, related);
  }

  #write(text: string): void {
    this.#file.append(Buffer.from(text));
  }

  /** The content of a row that can be read. */
  row(row: Row, columns: readonly FileColumn[]): RejectedRow {
    const cells = row.cells();
    if (cells !== null) return this.#ofCells(row, cells, columns);
    const members = row.members ?? {};
    const names = Object.keys(members);
    const first = members[ROW_COLUMN];
    const number = typeof first === 'number' ? String(first) : String(row.number);
    const isPlain = !names.some((name) => isAdded(name) || this.#isSecret(name));
    if (isPlain) return { row: number, rest: this.#format.text(row.source()) };
    const kept = Object.entries(members).filter(
      ([name]) => !isAdded(name) && !this.#isSecret(name),
    );
    return { row: number, rest: this.#format.members(Object.fromEntries(kept)) };
  }

  /** Whether a member has a secret, also one of a related item. */
  #isSecret(name: string): boolean {
    if (this.#secret.has(name)) return true;
    const column = name.includes('.') ? this.#related.column(name) : null;
    return column !== null && !isReason(column) && column.masked;
  }

  #ofCells(row: Row, cells: readonly string[], columns: readonly FileColumn[]): RejectedRow {
    const masked = new Set(columns.flatMap(({ masked, cell }) => (masked ? [cell] : [])));
    const at = this.#header.indexOf(ROW_COLUMN);
    const first = cells[at] ?? '';
    const number = /^\d{1,15}$/.test(first) ? first : String(row.number);
    const isSecret = (name: string, cell: number) => this.#secret.has(name) || masked.has(cell);
    const isPlain = !this.#header.some((name, cell) => isAdded(name) || isSecret(name, cell));
    if (isPlain) return { row: number, rest: this.#format.text(row.source()) };
    const shown = cells.map((cell, place) =>
      isSecret(this.#header[place] ?? '', place) ? '' : cell,
    );
    const own = shown.filter((_, place) => !isAdded(this.#header[place] ?? ''));
    return { row: number, rest: this.#format.cells(own) };
  }

  /** The content of a row that cannot be read. */
  malformed(row: number, text: string, columns: readonly FileColumn[]): RejectedRow {
    const isCsv = this.#header.length > 0;
    const hasSecret = this.#header.some((name) => this.#secret.has(name));
    // The columns of the row are unknown.
    const isHidden = hasSecret || columns.some(({ masked }) => masked);
    const isShown = isCsv ? !isHidden : this.#secret.size === 0;
    return { row: String(row), rest: this.#format.malformed(isShown ? text : '') };
  }

  /** Adds a row. */
  add({ row, rest }: RejectedRow, reasons: readonly RejectionReason[]): void {
    if (this.#file.size > BYTES_MAX) return;
    const told = reasons.map(({ field, reason }) =>
      field === null ? reason : `${field}: ${reason}`,
    );
    const reason = [...new Set(told)].join(' ').slice(0, REASON_MAX);
    const before = this.#isBegun ? this.#format.separator : '';
    this.#isBegun = true;
    this.#write(`${before}${this.#format.begin({ row, reason })}${rest}`);
  }

  /** The whole file. */
  read(): AsyncIterable<Uint8Array> {
    this.#write(this.#format.tail);
    return this.#file.stream();
  }

  close(): void {
    this.#file.close();
  }
}
