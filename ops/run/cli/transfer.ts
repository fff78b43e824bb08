/** The commands that bring files into collections, and items into files. */
import { openAsBlob } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as v from 'valibot';
import { SetupError } from '#core/model/system/setup-error.ts';
import type { Api } from '#ops/run/demo/api.ts';
import { type Command, type CommandArguments, type Context, URL_OPTION } from './command.ts';

const DONE = 0;
/** Some rows, or all of them, were rejected. */
const REJECTED = 1;
/** The pause (ms) between two looks at a job. */
const LOOK_MS = 300;

const fault = v.looseObject({
  message: v.string(),
  extensions: v.optional(
    v.looseObject({ row: v.nullish(v.number()), field: v.nullish(v.string()) }),
  ),
});
const answer = v.object({
  data: v.looseObject({
    id: v.string(),
    state: v.string(),
    progress: v.nullish(v.looseObject({ percent: v.nullish(v.number()) })),
    result: v.nullish(v.record(v.string(), v.unknown())),
    error: v.nullish(v.array(fault)),
  }),
});
type Job = v.InferOutput<typeof answer>['data'];

/** The counts of a result, in their order. */
const COUNTS = ['inserted', 'updated', 'unchanged', 'duplicates', 'skipped', 'failed'] as const;

/** Those that only mirrors have. */
const DELETIONS = ['deleted', 'not_deleted'] as const;

const ASYNC = { prefer: 'respond-async' };
const COLLECTION = {
  name: 'collection',
  value: 'NAME',
  meaning: 'the collection (required)',
} as const;
const JSON_OPTION = { name: 'json', meaning: 'print the result as JSON' } as const;

/** The options of imports that have a flag or a value of their own. */
const IMPORT_OPTIONS = [
  { name: 'mode', value: 'MODE', meaning: 'upsert (default), insert, update or mirror' },
  { name: 'max-deletes', value: 'COUNT', meaning: 'of a mirror: most items that it deletes' },
  { name: 'profile', value: 'NAME', meaning: 'a stored profile of options' },
  { name: 'match', value: 'FIELDS', meaning: 'the unique key that finds existing items' },
  { name: 'on-error', value: 'WHAT', meaning: 'abort (default), or skip faulty rows' },
  { name: 'mapping', value: 'JSON', meaning: 'the field of each column' },
  { name: 'sheet', value: 'SHEET', meaning: 'the sheet of a workbook, by name or number' },
  { name: 'create', meaning: 'create a missing collection' },
  { name: 'undo', meaning: 'keep what changes, so that jobs undo can undo it' },
  { name: 'dry-run', meaning: 'check the file and write nothing' },
] as const;

function required(line: CommandArguments, name: string): string {
  const value = line.value(name);
  if (value === null) throw new SetupError(`--${name} is missing`);
  return value;
}

/** Follows a job to its end, and shows how far it is where there is a terminal. */
async function followed(api: Api, id: string, signal: AbortSignal): Promise<Job> {
  const { isTTY } = process.stderr;
  for (;;) {
    const { data: job } = v.parse(answer, await api.get(`/jobs/${encodeURIComponent(id)}`));
    if (isTTY)
      process.stderr.write(`\r${job.state} ${Math.round(job.progress?.percent ?? 0)} %   `);
    if (['completed', 'failed', 'cancelled'].includes(job.state)) {
      if (isTTY) process.stderr.write('\n');
      return job;
    }
    await delay(LOOK_MS, undefined, { signal });
  }
}

/** Submits a job. @throws {SetupError} when it is refused */
async function submitted(api: Api, path: string, init: RequestInit): Promise<string> {
  const response = await api.request(path, init);
  return v.parse(answer, await response.json()).data.id;
}

function faultText({ message, extensions: { row, field } = {} }: v.InferOutput<typeof fault>) {
  const place = [row == null ? null : `row ${row}`, field].filter((part) => part != null);
  return place.length === 0 ? message : `${place.join(', ')}: ${message}`;
}

/** The query of an import: the options by the names of the API. */
function importQuery(line: CommandArguments): URLSearchParams {
  const query = new URLSearchParams(line.value('options') ?? '');
  for (const { name } of IMPORT_OPTIONS) {
    const value = line.has(name) ? 'true' : line.value(name);
    if (value !== null) query.set(name.replaceAll('-', '_'), value);
  }
  return query;
}

/** The body of an import: the file, or nothing when the profile names the file. */
async function importContent(
  line: CommandArguments,
): Promise<Pick<RequestInit, 'body' | 'headers'>> {
  const { file } = line;
  if (file === null) {
    if (line.value('profile') === null) {
      throw new SetupError('The file is missing. Only a --profile can name it.');
    }
    return { body: '{}', headers: { ...ASYNC, 'content-type': 'application/json' } };
  }
  const form = new FormData();
  try {
    form.set('file', await openAsBlob(file), basename(file));
  } catch {
    throw new SetupError(`The file ${file} cannot be read.`);
  }
  return { body: form, headers: ASYNC };
}

async function runImport(line: CommandArguments, { open, signal }: Context): Promise<number> {
  const collection = required(line, 'collection');
  const content = await importContent(line);
  const api = await open(line.value('url'));
  const path = `/utils/import/${encodeURIComponent(collection)}?${importQuery(line)}`;
  const id = await submitted(api, path, { method: 'POST', ...content });
  const { state, result, error } = await followed(api, id, signal);
  if (state !== 'completed') {
    for (const one of error ?? []) console.error(faultText(one));
    console.error(`The import is ${state}; nothing was imported. Job ${id}.`);
    return REJECTED;
  }
  if (line.has('json')) console.log(JSON.stringify(result));
  else {
    const deleted = DELETIONS.filter((name) => result?.[name] !== undefined);
    const counts = [...COUNTS, ...deleted].map((name) => `${name} ${result?.[name] ?? 0}`);
    console.log(counts.join(', '));
    if (result?.dry_run === true) console.log('It was a dry run; nothing was written.');
    const keys = v.safeParse(v.array(v.string()), result?.deleted_keys);
    if (keys.success && keys.output.length > 0) console.log(`To delete: ${keys.output.join(' ')}`);
  }
  if (Number(result?.failed ?? 0) === 0) return DONE;
  console.error(`Rejected rows: GET /jobs/${id}/rejected`);
  return REJECTED;
}

/** The format that the name of a file says. */
function formatOf(file: string): string {
  const extension = extname(file).slice(1).toLowerCase();
  return extension === '' ? 'csv' : extension;
}

/** Creates a file, which stays only when the work that fills it ends. @throws {SetupError} */
async function filled(file: string, fill: (target: FileHandle) => Promise<void>): Promise<void> {
  const target = await open(file, 'wx').catch((error: NodeJS.ErrnoException) => {
    throw new SetupError(
      error.code === 'EEXIST' ? `The file ${file} exists.` : `The file ${file} cannot be written.`,
    );
  });
  try {
    await fill(target);
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  } finally {
    await target.close();
  }
}

async function runExport(line: CommandArguments, { open, signal }: Context): Promise<number> {
  const file = line.file ?? '';
  const collection = required(line, 'collection');
  const query: Record<string, unknown> = { limit: -1 };
  for (const name of ['fields', 'sort', 'search'] as const) {
    const value = line.value(name);
    if (value !== null) query[name] = value;
  }
  const filter = line.value('filter');
  try {
    if (filter !== null) query.filter = JSON.parse(filter);
  } catch {
    throw new SetupError('--filter takes a JSON object.');
  }
  const format = line.value('format') ?? formatOf(file);
  const api = await open(line.value('url'));
  await filled(file, async (target) => {
    const id = await submitted(api, `/utils/export/${encodeURIComponent(collection)}`, {
      method: 'POST',
      body: JSON.stringify({ query, format }),
      headers: { ...ASYNC, 'content-type': 'application/json' },
    });
    const { state, result, error } = await followed(api, id, signal);
    if (state !== 'completed') {
      for (const one of error ?? []) console.error(faultText(one));
      throw new SetupError(`The export is ${state}. Job ${id}.`);
    }
    const { body } = await api.request(`/jobs/${encodeURIComponent(id)}/file`);
    if (body !== null) await target.writeFile(body);
    if (line.has('json')) console.log(JSON.stringify(result));
    else console.log(`${result?.rows ?? 0} items in ${file}`);
  });
  return DONE;
}

export const TRANSFER_COMMANDS: readonly Command[] = [
  {
    words: ['import'],
    file: 'optional',
    meaning:
      'Import a file into a collection: CSV, JSON, NDJSON, XLSX or Parquet.\nExit code 1: rows were rejected; standard error names them.',
    options: [
      COLLECTION,
      ...IMPORT_OPTIONS,
      {
        name: 'options',
        value: 'QUERY',
        meaning: 'more options of imports, such as "separator=;&null_values=NULL"',
      },
      JSON_OPTION,
      URL_OPTION,
    ],
    run: runImport,
  },
  {
    words: ['export'],
    file: 'required',
    meaning: 'Export the items of a collection to a new file.',
    options: [
      COLLECTION,
      {
        name: 'format',
        value: 'FORMAT',
        meaning: 'csv, csv_utf8, json, ndjson, xlsx, parquet, xml or yaml; else by the file name',
      },
      { name: 'fields', value: 'FIELDS', meaning: 'the fields, separated by commas' },
      { name: 'filter', value: 'JSON', meaning: 'a filter' },
      { name: 'sort', value: 'FIELDS', meaning: 'the order' },
      { name: 'search', value: 'TEXT', meaning: 'a search' },
      JSON_OPTION,
      URL_OPTION,
    ],
    run: runExport,
  },
];
