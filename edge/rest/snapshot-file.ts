/** Snapshots as files: writes JSON or YAML piece by piece, and reads uploads. */
import { Worker } from 'node:worker_threads';
import { stringify } from 'yaml';
import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload, invalidQuery, ServiceError } from '#core/base/errors/service-error.ts';
import { parseStrictJson } from '#core/base/json/strict-json.ts';
import { TimeSlice } from '#core/base/process/time-slice.ts';
import type { Snapshot } from '#core/schema/snapshot.ts';
import { FORMATS, fileName } from '#core/transfer/export/format.ts';
import { disposition } from '#edge/http/content-disposition.ts';
import { firstFile } from '#edge/http/multipart.ts';
import type { Response } from '#edge/http/response.ts';
import type { Call } from './call.ts';

const SNAPSHOT_FORMATS = ['json', 'yaml'] as const;
type SnapshotFormat = (typeof SNAPSHOT_FORMATS)[number];

/** Maximum memory for reading YAML, in megabytes. */
const THREAD_MEGABYTES = 512;

/** Bytes of a piece of a download. */
const PIECE = 65_536;

function formatOf(value: unknown): SnapshotFormat {
  const format = SNAPSHOT_FORMATS.find((known) => known === value);
  if (format !== undefined) return format;
  throw invalidQuery(reason('snapshot_format_unknown', { formats: SNAPSHOT_FORMATS.join(', ') }));
}

/**
 * The members of a snapshot as lines of YAML. Words that older parsers interpret as booleans are
 * quoted.
 */
function yamlOf(value: object): string {
  return stringify(value, { compat: 'yaml-1.1', aliasDuplicateObjects: false, lineWidth: 0 });
}

function* yamlTexts(snapshot: Snapshot): Generator<string> {
  for (const [name, value] of Object.entries(snapshot)) {
    if (!Array.isArray(value) || value.length === 0) {
      yield yamlOf({ [name]: value });
      continue;
    }
    yield `${name}:\n`;
    for (const entry of value) yield yamlOf([entry]);
  }
}

function* jsonTexts(snapshot: Snapshot, indent?: string): Generator<string> {
  const [line, deep] = indent === undefined ? ['', ''] : ['\n', indent];
  const text = (value: unknown, depth: number) =>
    JSON.stringify(value, null, indent).replaceAll('\n', line + deep.repeat(depth));
  let before = '{';
  for (const [name, value] of Object.entries(snapshot)) {
    yield `${before}${line}${deep}${JSON.stringify(name)}:${indent === undefined ? '' : ' '}`;
    before = ',';
    if (!Array.isArray(value) || value.length === 0) {
      yield text(value, 1);
      continue;
    }
    let between = '[';
    for (const entry of value) {
      yield `${between}${line}${deep.repeat(2)}${text(entry, 2)}`;
      between = ',';
    }
    yield `${line}${deep}]`;
  }
  yield `${line}}`;
}

/** Joins texts to larger pieces, and lets other requests run in between. */
async function* pieces(texts: Iterable<string>): AsyncGenerator<string> {
  const slice = new TimeSlice();
  let piece = '';
  for (const text of texts) {
    piece += text;
    if (piece.length >= PIECE) {
      yield piece;
      piece = '';
    }
    await slice.rest();
  }
  yield piece;
}

/** The text `{"data":…}` of a snapshot. */
export async function snapshotText(snapshot: Snapshot): Promise<string> {
  let text = '{"data":';
  for await (const piece of pieces(jsonTexts(snapshot))) text += piece;
  return `${text}}`;
}

/**
 * A snapshot as a download.
 * @throws ServiceError INVALID_QUERY for an unknown format
 */
export function snapshotDownload(snapshot: Snapshot, format: unknown): Response {
  const known = formatOf(format);
  const texts = known === 'yaml' ? yamlTexts(snapshot) : jsonTexts(snapshot, '\t');
  return {
    status: 200,
    headers: {
      'Content-Type': FORMATS[known].mediaType,
      'Content-Disposition': disposition(fileName('schema', known, new Date())),
    },
    body: pieces(texts),
  };
}

/** Media types of files, and their formats; the filename extension is used too. */
const MEDIA_TYPES: ReadonlyMap<string, SnapshotFormat> = new Map([
  ['application/json', 'json'],
  ['application/yaml', 'yaml'],
  ['application/x-yaml', 'yaml'],
  ['text/yaml', 'yaml'],
  ['text/x-yaml', 'yaml'],
]);

/** Generic types that clients send for unknown formats. */
const GENERIC: ReadonlySet<string> = new Set(['', 'text/plain', 'application/octet-stream']);

/** The format of a file; null when only the content can determine it. */
function fileFormat(mimeType: string, name: string): SnapshotFormat | null {
  const known = MEDIA_TYPES.get(mimeType);
  if (known !== undefined) return known;
  if (/\.ya?ml$/i.test(name)) return 'yaml';
  if (/\.json$/i.test(name)) return 'json';
  if (GENERIC.has(mimeType) && !name.includes('.')) return null;
  const why = reason('snapshot_file_type_unknown');
  throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', {
    mediaType: mimeType,
    where: 'file',
    reason: why,
  });
}

async function collect(stream: AsyncIterable<Uint8Array>, limit: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.byteLength;
    if (size > limit)
      throw new ServiceError('CONTENT_TOO_LARGE', { limit, variable: 'BODY_MAX_SIZE' });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

type YamlOutcome = { readonly json: string } | { readonly fault: string };

/** Parsing several megabytes of YAML takes a second, so it runs in a separate thread. */
async function parseYaml(bytes: Buffer): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<YamlOutcome>();
  const thread = new Worker(new URL('./yaml-thread.ts', import.meta.url), {
    workerData: bytes.toString('utf8'),
    resourceLimits: { maxOldGenerationSizeMb: THREAD_MEGABYTES },
  });
  thread.once('message', resolve);
  thread.once('error', ({ message }) => resolve({ fault: message }));
  thread.once('exit', () => resolve({ fault: 'it takes too much time or memory' }));
  const outcome = await promise;
  await thread.terminate();
  if ('fault' in outcome) throw invalidPayload(reason('yaml_invalid', { fault: outcome.fault }));
  return parseStrictJson(Buffer.from(outcome.json));
}

/**
 * The snapshot in a request: its JSON body, or the first file of a multipart body. A text part
 * named `file` also counts as the file.
 * @throws ServiceError INVALID_PAYLOAD, UNSUPPORTED_MEDIA_TYPE, CONTENT_TOO_LARGE
 */
export async function readSnapshotBody({ request, services }: Call): Promise<unknown> {
  const type = request.header('content-type') ?? '';
  if (!/^\s*multipart\//i.test(type)) return request.body.json();
  const variable = 'BODY_MAX_SIZE';
  const limit = services.config[variable];
  const file = await firstFile(request, { part: 'file', limit, variable });
  const told = fileFormat(file.mimeType, file.filename);
  const bytes = await collect(file.stream, limit);
  const format = told ?? (/^\s*\{/.test(bytes.toString('latin1', 0, 1_024)) ? 'json' : 'yaml');
  return format === 'json' ? parseStrictJson(bytes) : parseYaml(bytes);
}
