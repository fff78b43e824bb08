/** Faults of a file: collected for the report, and their wire form. */

import type { ErrorCode } from '#core/base/errors/catalogue.ts';
import { cutParameters, type Reason, reason } from '#core/base/errors/reason.ts';
import { type ErrorDetails, ServiceError, ServiceErrors } from '#core/base/errors/service-error.ts';
import type { Collection } from '#core/model/catalog/catalog.ts';
import { CONCEALED, isConcealed } from '#core/model/catalog/catalog.ts';

/** The position of a syntax error, both from 1; the column counts characters. */
export interface FilePosition {
  readonly line: number;
  readonly column: number;
}

/** One reason to reject the file. */
export interface RowFault {
  /** 1-based among the data rows, without the CSV header; null without a row. */
  readonly row: number | null;
  readonly field: string | null;
  /** The value as text, truncated when it is long; null without a value to show. */
  readonly value: string | null;
  readonly code: ErrorCode;
  readonly reason: Reason;
  /** The address of its cell in a workbook, such as `C17`. */
  readonly cell?: string;
  /** Only for a malformed file. */
  readonly place?: FilePosition;
  /**
   * Further details of the API's own error for the row; contains only data that its reader may see.
   */
  readonly details?: ErrorDetails;
}

/** Faults after which the rest of the file cannot be read. */
export class UnreadableFile extends Error {
  readonly fault: RowFault;
  readonly faults: readonly [RowFault, ...RowFault[]];

  constructor(fault: RowFault, ...more: readonly RowFault[]) {
    super(fault.reason.sentence);
    this.name = 'UnreadableFile';
    this.fault = fault;
    this.faults = [fault, ...more];
  }
}

/** The maximum length of a value in a report. */
export const VALUE_DISPLAY_MAX = 256;

/** The maximum length of a reason: PostgreSQL's messages may repeat a whole value. */
export const REASON_DISPLAY_MAX = 1_000;

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}

/** A value for reports. */
export function displayValue(value: string | null): string | null {
  return value === null ? null : cut(value, VALUE_DISPLAY_MAX);
}

/** A name in the file, for reports. */
export function displayName(name: string): string {
  return cut(name, VALUE_DISPLAY_MAX);
}

/** The database's message, for reports. */
export function displayReason(why: Reason): Reason {
  const parameters = cutParameters(why.parameters, REASON_DISPLAY_MAX);
  return { ...why, parameters, sentence: cut(why.sentence, REASON_DISPLAY_MAX) };
}

/** The same reason, with an advice after its sentence. */
export function withAdvice(why: Reason, advice: string): Reason {
  return { ...why, sentence: `${why.sentence} ${advice}` };
}

/**
 * A fault of quotes at its position. An unclosed quote is noticed only on a later line; then the
 * fault has the position of its row.
 */
export function quoteFault(why: Reason, found: FilePosition, row: FilePosition): RowFault {
  if (found.line === row.line) return syntaxFault(why, null, found);
  const advice = 'The row begins on this line; one of its quotes may not be closed.';
  return syntaxFault(withAdvice(why, advice), null, row);
}

/** A fault of the file's syntax. */
export function syntaxFault(why: Reason, row: number | null, place: FilePosition | null): RowFault {
  const fault = { row, field: null, value: null, code: 'INVALID_PAYLOAD' } as const;
  return { ...fault, reason: why, ...(place === null ? {} : { place }) };
}

/** The reader of a report: the names it may contain, and the values it must not repeat. */
export interface ReportAudience {
  readonly collection: Pick<Collection, 'name' | 'fields'>;
  /** The only fields that the importer may fill; by default all. */
  readonly fields?: ReadonlySet<string> | undefined;
}

const UNNAMED = reason('row_breaks_rule');
const HIDDEN = reason('value_misfits_field');
const NO_LINK = reason('link_to_hidden_item');

/**
 * The fault without parts that are hidden from its reader; faults of the file itself stay
 * unchanged.
 */
export function redactFault(fault: RowFault, { collection, fields }: ReportAudience): RowFault {
  if (fault.code === 'INVALID_PAYLOAD' || fault.details !== undefined) return fault;
  const names = fault.field === null ? [] : fault.field.split(',');
  if (fields !== undefined) {
    const code = fault.code === 'INVALID_FOREIGN_KEY' ? 'FORBIDDEN' : fault.code;
    if (names.length === 0) return { ...fault, code, field: null, value: null, reason: UNNAMED };
    if (code !== fault.code) return { ...fault, code, reason: NO_LINK };
  }
  const isSecret = names.some((name) => {
    const field = collection.fields.get(name);
    return field !== undefined && isConcealed(field);
  });
  if (!isSecret) return fault;
  return { ...fault, value: fault.value === null ? null : CONCEALED, reason: HIDDEN };
}

function toError(collection: string, fault: RowFault): ServiceError {
  return new ServiceError(fault.code, {
    ...fault.details,
    collection,
    row: fault.row,
    field: fault.field,
    value: fault.value,
    ...(fault.cell === undefined ? {} : { cell: fault.cell }),
    ...fault.place,
    reason: fault.reason,
  });
}

/** The error of a rejected file: one entry per fault, in row order. */
export function importErrors(
  readership: ReportAudience,
  faults: readonly [RowFault, ...RowFault[]],
): ServiceErrors {
  const { name } = readership.collection;
  const [first, ...rest] = [...faults].sort((a, b) => (a.row ?? 0) - (b.row ?? 0));
  return new ServiceErrors([
    toError(name, redactFault(first ?? faults[0], readership)),
    ...rest.map((fault) => toError(name, redactFault(fault, readership))),
  ]);
}

/** The reason for rejecting a secret that is not text: only text is hashed. */
export const NO_SECRET = reason('secret_of_file_text_expected');
