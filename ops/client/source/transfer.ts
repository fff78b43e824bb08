/** Imports of files, and exports: to files by jobs, and as streams. */
import { NetworkError } from './errors.ts';
import { pieces } from './events.ts';
import { completed, createJobs, type Job, jobHeaders } from './job.ts';
import type { CallOptions, JobOptions } from './options.ts';
import { membersOf } from './query.ts';
import type { Transport } from './transport.ts';
import { type FileInput, formOf, namedContent, sending, type UploadProgress } from './upload.ts';

/** How the values of a field are written. */
export interface FieldFormat {
  readonly decimal?: string | undefined;
  readonly thousands?: string | undefined;
  readonly date_format?: string | undefined;
}

/** Options that are sent as JSON. */
const OBJECTS: ReadonlySet<string> = new Set([
  'mapping',
  'constants',
  'types',
  'relations',
  'formats',
]);

/** How a file is read; see the documentation of imports. */
export interface ImportOptions extends JobOptions {
  /** The name of a stored profile; the other options replace those of the profile. */
  readonly profile?: string | undefined;
  /** `mirror` also deletes the items that the file lacks; it needs `max_deletes`. */
  readonly mode?: 'upsert' | 'insert' | 'update' | 'mirror' | undefined;
  /** Of a mirror: more deletions than this change nothing; without it, it is only tried. */
  readonly max_deletes?: number | undefined;
  /** The fields of the unique key by which rows find their items. */
  readonly match?: string | readonly string[] | undefined;
  readonly on_error?: 'abort' | 'skip' | undefined;
  readonly max_errors?: number | undefined;
  /** Creates a collection that does not exist. */
  readonly create?: boolean | undefined;
  /** Does everything, and rolls it back. */
  readonly dry_run?: boolean | undefined;
  /** Keeps what the import changes, so that `jobs.undo` can undo it. */
  readonly undo?: boolean | undefined;
  /** The field of each header or member; null leaves one out. */
  readonly mapping?: Readonly<Record<string, string | ImportReference | null>> | undefined;
  /** The values of fields that the file does not have. */
  readonly constants?: Readonly<Record<string, unknown>> | undefined;
  /** The types of new fields. */
  readonly types?: Readonly<Record<string, string>> | undefined;
  /** The existing collections that new fields refer to. */
  readonly relations?: Readonly<Record<string, string>> | undefined;
  /** The share of values that may lack the type of a new field. */
  readonly types_tolerance?: number | undefined;
  /** The field that becomes the primary key of a new collection. */
  readonly key?: string | undefined;
  /** The name of a new collection for people. */
  readonly name?: string | undefined;
  /** The notation of single fields. */
  readonly formats?: Readonly<Record<string, FieldFormat>> | undefined;
  readonly empty?: 'missing' | 'null' | 'text' | undefined;
  readonly decimal?: string | undefined;
  /** Between groups of digits. */
  readonly thousands?: string | undefined;
  /** Texts of cells that are null. */
  readonly null_values?: string | readonly string[] | undefined;
  /** `loose`: headers name fields in any case, with spaces, `_` or `-`. */
  readonly header?: 'exact' | 'loose' | undefined;
  /** `pad`: missing cells of short rows are empty. */
  readonly ragged?: 'reject' | 'pad' | undefined;
  /** `lenient`: stray quotes are text. */
  readonly quotes?: 'strict' | 'lenient' | undefined;
  readonly date_format?: string | undefined;
  readonly timezone?: string | undefined;
  readonly separator?: string | undefined;
  readonly quote?: string | undefined;
  readonly escape?: string | undefined;
  readonly comment?: string | undefined;
  readonly charset?: string | undefined;
  /** Of a workbook: the name or the number of a sheet. */
  readonly sheet?: string | undefined;
  /** Of a workbook: the row that names the fields. */
  readonly header_row?: number | undefined;
}

/** A field whose values find the items that rows refer to by another field than the key. */
export interface ImportReference {
  readonly field: string;
  /** The field of those items; default: their key. */
  readonly by?: string | undefined;
  /** What a value without an item does: a fault of its row, a new item, or null. */
  readonly missing?: 'reject' | 'create' | 'null' | undefined;
  /** Between the values of a cell; default: a comma, a semicolon or a bar. */
  readonly separator?: string | undefined;
}

/** Faults of one field for one reason. */
export interface ImportFaultGroup {
  readonly code: string;
  readonly field: string | null;
  readonly reason: string | null;
  readonly reason_code: string | null;
  readonly reason_parameters: unknown;
  readonly rows: number;
  readonly first_row: number;
}

export interface ImportResult {
  readonly inserted: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly duplicates: number;
  readonly skipped: number;
  readonly failed: number;
  /** Of a mirror: the deleted items; `not_deleted` if rows were rejected. */
  readonly deleted?: number;
  readonly not_deleted?: number;
  /** Of a dry run: the keys of the first items that would be deleted. */
  readonly deleted_keys?: readonly string[];
  /** The profile whose options it used. */
  readonly profile?: string;
  /** The faults of the skipped rows by their reason. */
  readonly reasons?: readonly ImportFaultGroup[];
  /** The number of values in each column that the import took nothing from. */
  readonly ignored?: Readonly<Record<string, number>>;
  readonly [member: string]: unknown;
}

export type ExportFormat =
  | 'csv'
  | 'csv_utf8'
  | 'json'
  | 'ndjson'
  | 'xml'
  | 'yaml'
  | 'xlsx'
  | 'parquet';

export interface ExportOptions extends JobOptions {
  /** The name of the file. */
  readonly title?: string | undefined;
  /** CSV in which no text is a formula for a spreadsheet. */
  readonly safe?: boolean | undefined;
  /** CSV that begins with the line `sep=,`, for Excel. */
  readonly sep?: boolean | undefined;
  /** The text of a null in CSV, as in the import that reads it. */
  readonly null_values?: string | undefined;
}

export interface ExportedFile {
  readonly rows: number;
  readonly bytes: number;
  readonly format: string;
  /** The name of the file. */
  readonly file: string;
  readonly sha256: string;
  readonly job: Job;
  /** Downloads it, as a stream. */
  open(options?: CallOptions): Promise<Response>;
}

/** How far it is: while the file is sent, and then each change of the job. */
export type Step =
  | ({ readonly stage: 'upload' } & UploadProgress)
  | { readonly stage: 'job'; readonly job: Job };

/**
 * Work that has begun: `await` it for its result, or iterate over its progress. A reader that is slow
 * gets the latest step.
 */
export interface Run<Result> extends PromiseLike<Result>, AsyncIterable<Step> {
  /** The job, as it was accepted. */
  readonly job: Promise<Job>;
  /** Cancels the job; what it did is rolled back. An aborted signal ends the waiting alone. */
  cancel(): Promise<void>;
}

type Tell = (step: Step) => void;

function startRun<Told, Result>(
  transport: Transport,
  options: CallOptions,
  submit: (tell: Tell) => Promise<Job>,
  resultOf: (job: Job<Told>) => Result,
): Run<Result> {
  const jobs = createJobs(transport);
  const { signal, timeout } = options;
  let latest: Step | null = null;
  let wake: (() => void) | null = null;
  const tell = (step: Step) => {
    latest = step;
    wake?.();
  };
  const job = submit(tell);

  async function follow(): Promise<Result> {
    const first = await job;
    tell({ stage: 'job', job: first });
    for await (const next of jobs.events<Told>(first.id, { signal, timeout })) {
      tell({ stage: 'job', job: next });
      if (next.finished_on !== null) return resultOf(completed(next));
    }
    return resultOf(completed(await jobs.get<Told>(first.id, { signal, timeout })));
  }

  const done = follow();
  // Whoever awaits the job, or the work, is told by that promise.
  job.catch(() => undefined);
  let isOver = false;
  const over = () => {
    isOver = true;
    wake?.();
  };
  done.then(over, over);
  return {
    job,
    // biome-ignore lint/suspicious/noThenProperty: it is awaited like the promise that it stands for
    then: (fulfilled, rejected) => done.then(fulfilled, rejected),
    async cancel() {
      await jobs.cancel((await job).id, { timeout });
    },
    async *[Symbol.asyncIterator]() {
      while (latest !== null || !isOver) {
        const step: Step | null = latest;
        latest = null;
        if (step !== null) yield step;
        else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
      await done;
    },
  };
}

const ASYNC = { prefer: 'respond-async' };

/**
 * A file that the server fetches: of `/files` by its key, of a URL, an object of a location, or,
 * with an empty object, that of the profile.
 */
export type ImportSource =
  | { readonly file: string; readonly url?: undefined; readonly location?: undefined }
  | { readonly url: string; readonly file?: undefined; readonly location?: undefined }
  | { readonly location: string; readonly key: string }
  | { readonly file?: undefined; readonly url?: undefined; readonly location?: undefined };

function isSource(from: FileInput | ImportSource): from is ImportSource {
  return !(from instanceof Blob || 'content' in from);
}

/** The objects of a location whose keys begin with a text. */
export interface ObjectsToImport {
  readonly location: string;
  readonly prefix: string;
  /** Only objects with later keys. */
  readonly after?: string | undefined;
}

/** What an import of the new objects of a location has begun. */
export interface ImportedObjects {
  readonly jobs: readonly { readonly key: string; readonly job: string }[];
  readonly skipped: { readonly imported: number; readonly running: number };
  readonly refused: readonly {
    readonly key: string;
    readonly error: {
      readonly message: string;
      readonly extensions: Readonly<Record<string, unknown>>;
    };
  }[];
  /** The key after which the next call continues; null at the end. */
  readonly next: string | null;
}

/** The query of the options of an import. */
function importQuery(parameters: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [
      name,
      OBJECTS.has(name) && value ? JSON.stringify(value) : value,
    ]),
  );
}

/** Begins the imports of all objects with a prefix that are not imported yet. */
export function importObjects(
  transport: Transport,
  collection: string,
  from: ObjectsToImport,
  options: Omit<ImportOptions, 'idempotencyKey'> = {},
): Promise<ImportedObjects> {
  const { signal, timeout, headers, ...parameters } = options;
  const path = `/utils/import/${encodeURIComponent(collection)}`;
  return transport.request<ImportedObjects>('POST', path, {
    ...jobHeaders({ signal, timeout, headers }),
    query: importQuery(parameters),
    body: from,
  });
}

/** Imports the rows of a file that is sent, or that the server fetches. */
export function importFile(
  transport: Transport,
  collection: string,
  from: FileInput | ImportSource,
  options: ImportOptions = {},
): Run<ImportResult> {
  const { signal, timeout, headers, idempotencyKey, ...parameters } = options;
  const query = importQuery(parameters);
  const submit = async (tell: Tell) => {
    const call = jobHeaders({ signal, timeout, headers, idempotencyKey });
    const path = `/utils/import/${encodeURIComponent(collection)}`;
    if (isSource(from)) {
      const given = { ...call, headers: { ...call.headers, ...ASYNC } };
      return transport.request<Job>('POST', path, { ...given, query, body: from });
    }
    const form = await formOf([['file', namedContent(from)]]);
    return transport.request<Job>('POST', path, {
      ...call,
      headers: { ...call.headers, ...ASYNC, ...form.headers },
      query,
      body: form.body,
      // A stream is read once.
      ...(form.body instanceof ReadableStream && { repeat: false }),
      send: sending((progress) => tell({ stage: 'upload', ...progress })),
    });
  };
  return startRun(transport, options, submit, (job: Job<ImportResult>) => job.result);
}

/** Writes items to a file, by a job. */
export function exportFile(
  transport: Transport,
  collection: string,
  format: ExportFormat,
  query: object = {},
  options: ExportOptions = {},
): Run<ExportedFile> {
  const { title, safe, sep, null_values, ...call } = options;
  const jobs = createJobs(transport);
  const submit = () => {
    const given = jobHeaders(call);
    return transport.request<Job>('POST', `/utils/export/${encodeURIComponent(collection)}`, {
      ...given,
      headers: { ...given.headers, ...ASYNC },
      body: {
        query: membersOf(query),
        format,
        ...(title !== undefined && { file: { title } }),
        ...(safe && { export_safe: true }),
        ...(sep && { export_sep: true }),
        ...(null_values !== undefined && { null_values }),
      },
    });
  };
  type Told = Omit<ExportedFile, 'job' | 'open'>;
  return startRun(transport, call, submit, (job: Job<Told>) => ({
    ...job.result,
    job,
    open: (options) => jobs.file(job.id, options),
  }));
}

/** Reads items as a download, while the server reads them. */
export function exportStream(
  transport: Transport,
  path: string,
  format: ExportFormat,
  query: object = {},
  options?: CallOptions,
): Promise<Response> {
  const members = { limit: -1, ...membersOf(query), export: format };
  return transport.open('GET', path, { ...options, query: members });
}

/** Items one by one, however many there are. @throws NetworkError when they break off */
export async function* eachItem<Item>(
  read: () => Promise<Response>,
): AsyncGenerator<Item, void, undefined> {
  const lines = pieces(await read(), '\n');
  for (;;) {
    const { done, value } = await lines.next();
    if (done) {
      if (value !== '') throw new NetworkError('The answer ends within an item.');
      return;
    }
    yield JSON.parse(value);
  }
}
