/** The commands that bring files into collections, and items into files. */
import { openAsBlob } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import * as v from 'valibot';
import { SetupError } from '#core/model/system/setup-error.ts';
import { type Command, type CommandArguments, type Context, URL_OPTION } from './command.ts';
import {
  ASYNC,
  COUNTS,
  DONE,
  faultText,
  followed,
  type Job,
  jsonRequest,
  REJECTED,
  submitted,
} from './follow-job.ts';
import { importPrefix } from './import-prefix.ts';

const COLLECTION = {
  name: 'collection',
  value: 'NAME',
  meaning: 'the collection (required)',
} as const;
const JSON_OPTION = { name: 'json', meaning: 'print the result as JSON' } as const;

/** The counts that only mirrors have. */
const DELETIONS = ['deleted', 'not_deleted'] as const;

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

/** The query of an import: the options by the names of the API. */
function importQuery(line: CommandArguments): URLSearchParams {
  const query = new URLSearchParams(line.value('options') ?? '');
  for (const { name } of IMPORT_OPTIONS) {
    const value = line.has(name) ? 'true' : line.value(name);
    if (value !== null) query.set(name.replaceAll('-', '_'), value);
  }
  return query;
}

/** The request for an import: with the file, its key in a location, or nothing with a profile. */
async function importRequest(line: CommandArguments): Promise<RequestInit> {
  const { file } = line;
  const location = line.value('location');
  if (location !== null) return jsonRequest({ location, key: file ?? '' });
  if (file === null) {
    if (line.value('profile') === null) {
      throw new SetupError('The file is missing. Only a --profile can name it.');
    }
    return jsonRequest({});
  }
  const form = new FormData();
  try {
    form.set('file', await openAsBlob(file), basename(file));
  } catch {
    throw new SetupError(`The file ${file} cannot be read.`);
  }
  return { method: 'POST', body: form, headers: ASYNC };
}

async function runImport(line: CommandArguments, { open, signal }: Context): Promise<number> {
  const collection = required(line, 'collection');
  const path = `/utils/import/${encodeURIComponent(collection)}?${importQuery(line)}`;
  if (line.has('prefix')) {
    const location = required(line, 'location');
    const api = await open(line.value('url'));
    return await importPrefix(api, path, { location, prefix: line.file ?? '' }, signal);
  }
  const init = await importRequest(line);
  const api = await open(line.value('url'));
  const id = await submitted(api, path, init);
  return reported(line, id, await followed(api, id, signal));
}

/** Prints the outcome of an import. @returns the exit code */
function reported(line: CommandArguments, id: string, { state, result, error }: Job): number {
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

/** The options of a CSV file. */
function csvOptions(line: CommandArguments): object {
  const nulls = line.value('null-values');
  return {
    ...(line.has('excel') && { export_sep: true }),
    ...(nulls !== null && { null_values: nulls }),
  };
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
    const path = `/utils/export/${encodeURIComponent(collection)}`;
    const id = await submitted(api, path, jsonRequest({ query, format, ...csvOptions(line) }));
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
      { name: 'location', value: 'NAME', meaning: 'a location of IMPORT_LOCATIONS; FILE is a key' },
      { name: 'prefix', meaning: 'with --location: all new objects whose keys begin with FILE' },
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
      { name: 'null-values', value: 'TEXT', meaning: 'the text of a null in CSV' },
      { name: 'excel', meaning: 'begin a CSV file with the line "sep=,", for Excel' },
      JSON_OPTION,
      URL_OPTION,
    ],
    run: runExport,
  },
];
