/** Faults of a file: collected for the report, and their wire form. */
import type { Collection } from '#core/catalog/catalog.ts';
import { CONCEALED, isConcealed } from '#core/catalog/concealed-field.ts';
import type { ErrorCode } from '#core/errors/catalogue.ts';
import { type ErrorDetails, ServiceError, ServiceErrors } from '#core/errors/service-error.ts';

/** The position of a syntax error, both from 1; the column counts characters. */
export interface FilePosition {
  readonly line: number;
  readonly column: number;
}

/** One reason to refuse the file. */
export interface RowFault {
  /** 1-based among the data rows, without the CSV header; null when it concerns no row. */
  readonly row: number | null;
  readonly field: string | null;
  /** The value as text, cut when it is long; null when there is none to show. */
  readonly value: string | null;
  readonly code: ErrorCode;
  readonly reason: string;
  /** Only for a malformed file. */
  readonly place?: FilePosition;
  /** Further details of the API's own error of the row; it tells nothing that its reader may not see. */
  readonly details?: ErrorDetails;
}

/** Faults after which the rest of the file cannot be read. */
export class UnreadableFile extends Error {
  readonly fault: RowFault;
  readonly faults: readonly [RowFault, ...RowFault[]];

  constructor(fault: RowFault, ...more: readonly RowFault[]) {
    super(fault.reason);
    this.name = 'UnreadableFile';
    this.fault = fault;
    this.faults = [fault, ...more];
  }
}

/** Longest text of a value that a report shows. */
export const SHOWN = 256;

/** Longest reason: those of PostgreSQL may repeat a whole value. */
export const REASON_SHOWN = 1_000;

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}

/** A value as reports show it. */
export function shown(value: string | null): string | null {
  return value === null ? null : cut(value, SHOWN);
}

/** A name of the file as reports show it. */
export function shownName(name: string): string {
  return cut(name, SHOWN);
}

/** What the database says, as reports show it. */
export function shownReason(reason: string): string {
  return cut(reason, REASON_SHOWN);
}

/** A fault of the file's syntax. */
export function malformed(
  reason: string,
  row: number | null,
  place: FilePosition | null,
): RowFault {
  const fault = { row, field: null, value: null, code: 'INVALID_PAYLOAD', reason } as const;
  return place === null ? fault : { ...fault, place };
}

/** The reader of a report: what it may name, and what it must not repeat. */
export interface Readership {
  readonly collection: Pick<Collection, 'name' | 'fields'>;
  /** The only fields that the importer may fill; all of them when not given. */
  readonly fields?: ReadonlySet<string> | undefined;
}

const UNNAMED = 'The row breaks a rule of the database.';
const HIDDEN = 'The value does not fit this field.';
const NO_LINK = 'It refers to an item that does not exist, or that you may not access.';

/** The fault without what its reader must not see; faults of the file itself stay unchanged. */
export function discreet(fault: RowFault, { collection, fields }: Readership): RowFault {
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
    ...fault.place,
    reason: fault.reason,
  });
}

/** The error of a refused file: one entry per fault, in the order of the rows. */
export function importErrors(
  readership: Readership,
  faults: readonly [RowFault, ...RowFault[]],
): ServiceErrors {
  const { name } = readership.collection;
  const [first, ...rest] = [...faults].sort((a, b) => (a.row ?? 0) - (b.row ?? 0));
  return new ServiceErrors([
    toError(name, discreet(first ?? faults[0], readership)),
    ...rest.map((fault) => toError(name, discreet(fault, readership))),
  ]);
}
