/** Spells the parameters of an import as its options, so that clients can repeat them. */
import type { ImportParameters } from '#core/jobs/message/import-parameters.ts';

/** The names of options that differ from those of their parameters. */
const SPELLED: Readonly<Record<string, string>> = {
  onError: 'on_error',
  maxErrors: 'max_errors',
  maxDeletes: 'max_deletes',
  dryRun: 'dry_run',
  dateFormat: 'date_format',
  headerRow: 'header_row',
  nullValues: 'null_values',
  typesTolerance: 'types_tolerance',
};

/** The options of an import as clients spell them, so that a file can be sent again in the same way. */
export function importOptions({
  mapping: headers,
  references = {},
  ...others
}: ImportParameters): Readonly<Record<string, unknown>> {
  const options = Object.entries(others).map(([name, value]) => [SPELLED[name] ?? name, value]);
  if (headers === undefined) return Object.fromEntries(options);
  const mapped = Object.entries(headers).map(([header, field]) => {
    const reference = field === null ? undefined : references[field];
    return [header, reference === undefined ? field : { field, ...reference }];
  });
  return { ...Object.fromEntries(options), mapping: Object.fromEntries(mapped) };
}
