/** What is wrong with a file: faults of rows, collected for the report, and their wire form. */
import type { ErrorCode } from '#core/errors/catalogue.ts';
import { ServiceError, ServiceErrors } from '#core/errors/service-error.ts';

/** Where a file is malformed; both are 1-based, the column counts characters. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** One reason to refuse the file. */
export interface RowFault {
  /** 1-based among the data rows, a CSV file's header not counted; null when it concerns no row. */
  readonly row: number | null;
  readonly field: string | null;
  /** The value as text, cut when it is long; null when there is none to show. */
  readonly value: string | null;
  readonly code: ErrorCode;
  readonly reason: string;
  /** Only for a file that cannot be read. */
  readonly place?: Place;
}

/** A fault after which nothing more can be read from the file. */
export class UnreadableFile extends Error {
  readonly fault: RowFault;

  constructor(fault: RowFault) {
    super(fault.reason);
    this.name = 'UnreadableFile';
    this.fault = fault;
  }
}

/** Longest text of a value that a report shows. */
const SHOWN = 256;

/** A value as reports show it. */
export function shown(value: string | null): string | null {
  return value === null || value.length <= SHOWN ? value : `${value.slice(0, SHOWN)}…`;
}

/** A fault in the form of the file. */
export function malformed(reason: string, row: number | null, place: Place): RowFault {
  return { row, field: null, value: null, code: 'INVALID_PAYLOAD', reason, place };
}

function toError(collection: string, fault: RowFault): ServiceError {
  return new ServiceError(fault.code, {
    collection,
    row: fault.row,
    field: fault.field,
    value: fault.value,
    ...fault.place,
    reason: fault.reason,
  });
}

/** The error of a refused file: one entry for each fault, in the order of the rows. */
export function importErrors(
  collection: string,
  faults: readonly [RowFault, ...RowFault[]],
): ServiceErrors {
  const [first, ...rest] = [...faults].sort((a, b) => (a.row ?? 0) - (b.row ?? 0));
  return new ServiceErrors([
    toError(collection, first ?? faults[0]),
    ...rest.map((fault) => toError(collection, fault)),
  ]);
}
