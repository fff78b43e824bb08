/** How an import was sent, as its job tells: so that any browser can send corrected rows in the same way. */
import { queryOptions } from '@tanstack/react-query';
import type { ImportReference, Job } from '../../../client/source/index.ts';
import { client } from '../data/client.ts';
import { isItem } from '../data/values.ts';
import { JOBS } from '../operations/job-query.ts';
import type { RememberedImport } from './memory.ts';
import {
  DECIMALS,
  EMPTIES,
  FORMATS,
  type Mapping,
  MODES,
  type Plan,
  QUOTE_RULES,
  rowDialect,
  SHORT_ROWS,
  THOUSANDS,
} from './plan.ts';
import { readPreview } from './preview.ts';
import { textBeginning } from './text-beginning.ts';

/** Columns that the server adds to rejected rows. */
const ADDED = new Set(['sluice_row', 'sluice_reason', 'sluice_text']);
/** The number of rows that show which members objects have. */
const SHOWN_ROWS = 200;

const textOf = (value: unknown, otherwise: string) =>
  typeof value === 'string' ? value : otherwise;

function oneOf<T extends string>(value: unknown, known: readonly T[], otherwise: T): T {
  return known.find((one) => one === value) ?? otherwise;
}

const MISSING = ['reject', 'create', 'null'] as const;

function mappingOf(given: unknown): Pick<Plan, 'mapping' | 'references'> {
  const mapping: Record<string, string | null> = {};
  const references: Record<string, ImportReference> = {};
  for (const [column, field] of Object.entries(isItem(given) ? given : {})) {
    if (field === null || typeof field === 'string') mapping[column] = field;
    if (!isItem(field) || typeof field.field !== 'string') continue;
    const { by, missing, separator } = field;
    mapping[column] = field.field;
    references[column] = {
      field: field.field,
      ...(typeof by === 'string' && { by }),
      missing: oneOf(missing, MISSING, 'reject'),
      ...(typeof separator === 'string' && { separator }),
    };
  }
  return { mapping, references };
}

/** The plan by which a job read its file; null when the job does not tell. */
function sentPlan({ result, file_format: format }: Job): Plan | null {
  const options = isItem(result) ? result.options : undefined;
  if (!isItem(options)) return null;
  const { match, constants, null_values: nulls } = options;
  return {
    format: oneOf(format, FORMATS, 'csv'),
    separator: textOf(options.separator, ','),
    quote: textOf(options.quote, '"'),
    charset: textOf(options.charset, 'utf-8'),
    decimal: oneOf(options.decimal, DECIMALS, '.'),
    thousands: oneOf(options.thousands, THOUSANDS, ''),
    nullValues: Array.isArray(nulls) ? nulls.join(',') : '',
    quotes: oneOf(options.quotes, QUOTE_RULES, 'strict'),
    ragged: oneOf(options.ragged, SHORT_ROWS, 'reject'),
    empty: oneOf(options.empty, EMPTIES, 'missing'),
    dateFormat: textOf(options.date_format, ''),
    timezone: textOf(options.timezone, ''),
    mode: oneOf(options.mode, MODES, 'upsert'),
    match: Array.isArray(match) ? match.join(',') : '',
    onError: 'skip',
    create: false,
    ...mappingOf(options.mapping),
    ...(isItem(constants) && { constants }),
  };
}

/** Every column with its field, as plans have them. */
function whole(mapping: Mapping, columns: readonly string[]): Mapping {
  return Object.fromEntries(
    columns.map((name) => [name, name in mapping ? (mapping[name] ?? null) : name || null]),
  );
}

/** What a browser that sent the import would remember of it; null when the job does not tell. */
export const sentImportQuery = (job: Job, enabled: boolean) =>
  queryOptions({
    queryKey: [JOBS, 'one', job.id, 'sent'],
    enabled,
    queryFn: async ({ signal }): Promise<RememberedImport | null> => {
      const plan = sentPlan(job);
      if (plan === null) return null;
      const { text } = await textBeginning(await client.jobs.rejected(job.id, { signal }));
      const found = readPreview(text, rowDialect(plan), SHOWN_ROWS).columns;
      const columns = found.filter((name) => !ADDED.has(name));
      const dryRun = isItem(job.result) && job.result.dry_run === true;
      const how = { ...plan, mapping: whole(plan.mapping, columns) };
      return { job: job.id, file: job.file_name ?? '', columns, plan: how, dryRun, sent: {} };
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
