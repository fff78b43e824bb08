/** The options of an import that only files of some formats have. */
import { type Reason, reason } from '#core/base/errors/reason.ts';
import type { ImportFormat } from '#core/jobs/message/import.ts';
import type { ImportParameters } from '#core/jobs/message/import-parameters.ts';

/** Options that describe the text of cells, which only CSV files have. */
const OF_CSV = [
  ...(['separator', 'quote', 'escape', 'comment', 'nullValues', 'ragged', 'quotes'] as const),
];
/** Options that describe the values of cells. */
const OF_CELLS = ['empty', 'decimal', 'thousands'] as const;

/** The names of options that differ from those of their members. */
const NAMES: Readonly<Record<string, string>> = {
  nullValues: 'null_values',
  typesTolerance: 'types_tolerance',
};

/** The name of an option, by that of its member. */
export function optionName(member: string): string {
  return NAMES[member] ?? member;
}

/** Why a file of the format has no such option; null when it has all of them. */
export function misfit(given: ImportParameters, format: ImportFormat): Reason | null {
  const hasCells = format === 'csv' || format === 'xlsx';
  const foreign = [...(format === 'csv' ? [] : OF_CSV), ...(hasCells ? [] : OF_CELLS)];
  const name = foreign.find((one) => given[one] !== undefined);
  if (name !== undefined) return reason('option_of_csv_only', { name: optionName(name), format });
  const isTyped = format === 'xlsx' || format === 'parquet';
  if (isTyped && given.charset !== undefined) {
    return reason('option_misfits_format', { name: 'charset', format });
  }
  if (format === 'xlsx') return null;
  if (given.sheet !== undefined) {
    return reason('option_of_workbooks_only', { name: 'sheet', format });
  }
  if (given.headerRow === undefined) return null;
  return reason('option_of_workbooks_only', { name: 'header_row', format });
}
