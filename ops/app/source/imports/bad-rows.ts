/** The rows that an import has left out, with what is wrong with them, from the report of the job. */
import { queryOptions } from '@tanstack/react-query';
import { parse } from 'csv-parse/browser/esm/sync';
import { client } from '../data/client.ts';
import { JOBS } from '../operations/job-query.ts';
import { textBeginning } from './text-beginning.ts';

export interface RowFault {
  /** Empty for a fault of the whole row. */
  readonly field: string;
  readonly code: string;
  readonly reason: string;
  readonly reason_code: string;
  readonly reason_parameters: unknown;
}

export interface BadRow {
  /** Its number in the file, from 1. */
  readonly row: number;
  /** Its text; null where the server does not repeat it. */
  readonly original: string | null;
  /** Why not: it is too long, or holds a secret. */
  readonly withheld: 'long' | 'secret' | null;
  readonly faults: readonly RowFault[];
}

export interface BadRows {
  readonly rows: readonly BadRow[];
  /** Whether there are more than these. */
  readonly more: boolean;
}

/** How many rows are shown at once. */
export const SHOWN = 50;

/** The report marks what a spreadsheet would take for a formula. */
function unmarked(text: string): string {
  return text.replace(/^'(?=[=+\-@\t\r＝＋－＠])/, '');
}

function recordsOf(text: string): readonly Readonly<Record<string, string>>[] {
  const records: Record<string, string>[] = [];
  try {
    parse(text, {
      columns: true,
      on_record: (record: Record<string, string>) => {
        records.push(record);
        return null;
      },
    });
  } catch {
    // The text ends within a record.
  }
  return records;
}

function withheldOf(original: string): BadRow['withheld'] {
  if (original === '') return 'secret';
  // A long row is cut.
  return original.endsWith('…') ? 'long' : null;
}

function faultOf(record: Readonly<Record<string, string>>): RowFault {
  const { field = '', code = '', reason = '', reason_code = '', reason_parameters = '' } = record;
  const parameters: unknown = reason_parameters === '' ? {} : JSON.parse(reason_parameters);
  return { field, code, reason, reason_code, reason_parameters: parameters };
}

function rowOf([row, records]: readonly [string, readonly Readonly<Record<string, string>>[]]) {
  const original = unmarked(records[0]?.original ?? '');
  const withheld = withheldOf(original);
  return {
    row: Number(row),
    original: withheld === null ? original : null,
    withheld,
    faults: records.map(faultOf),
  };
}

/** The first bad rows of an import, but for some. */
export const badRowsQuery = (job: string, without: ReadonlySet<number>) =>
  queryOptions({
    queryKey: [JOBS, 'one', job, 'bad rows', [...without].join()],
    queryFn: async ({ signal }): Promise<BadRows> => {
      const { text, complete } = await textBeginning(await client.jobs.errors(job, { signal }));
      const groups = [...Map.groupBy(recordsOf(text), ({ row = '' }) => row)];
      // The last one may be cut.
      const whole = complete ? groups : groups.slice(0, -1);
      const open = whole.map(rowOf).filter(({ row }) => !without.has(row));
      return { rows: open.slice(0, SHOWN), more: !complete || open.length > SHOWN };
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
