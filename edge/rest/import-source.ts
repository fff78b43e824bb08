/** The files of imports that a JSON body names: one of `/files`, or one of a URL. */
import * as v from 'valibot';
import { quotaKeyOf } from '#core/access/quota-key.ts';
import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload } from '#core/base/errors/service-error.ts';
import { BrokenOff } from '#core/files/outbound/fetch-outside.ts';
import { fetchResumed } from '#core/files/outbound/fetch-resumed.ts';
import type { ImportParameters } from '#core/jobs/message/import-parameters.ts';
import { importedFile } from '#core/services/files/imported-file.ts';
import type { ImportDestination } from '#core/services/import-destination.ts';
import { importParameters } from '#core/services/import-parameters.ts';
import type { ImportProfile } from '#core/services/import-profile.ts';
import { type ImportSource, importSourceOf } from '#core/services/import-source.ts';
import type { ImportRequest } from '#core/services/import-submission.ts';
import { nonEmptyText, parseBody } from './body.ts';
import type { Call } from './call.ts';
import { BEGINNING, type LabelledFile, withDetectedFormat } from './import-format.ts';

/** Maximum downloads of a file whose server breaks off and cannot resume. */
const MOST_DOWNLOADS = 3;

/** The content of an empty file. */
const NOTHING: AsyncIterable<Uint8Array> = { async *[Symbol.asyncIterator]() {} };

const urlText = v.pipe(nonEmptyText, v.maxLength(8_192, 'is too long'));

/** The body of an import that names its file. */
export const importSource = v.union([
  v.strictObject({ file: nonEmptyText }),
  v.strictObject({ url: urlText }),
  v.strictObject({}),
]);

/** The same with any members, so that each fault has its own reason. */
const anyMembers = v.looseObject(
  { file: v.optional(nonEmptyText), url: v.optional(urlText) },
  'is missing',
);

/**
 * The file that the body names; without a body, or with an empty object, the file of the profile.
 * @throws ServiceError INVALID_PAYLOAD for no source, two sources, and unknown members
 */
async function sourceOf(call: Call, profile: ImportProfile | null): Promise<ImportSource> {
  const given = lacksBody(call) ? {} : await parseBody(call, anyMembers);
  if (profile === null || Object.keys(given).length > 0) return importSourceOf(given);
  if (profile.source !== null) return profile.source;
  throw invalidPayload(reason('import_profile_without_source'));
}

/** Whether a request has no body. */
export function lacksBody({ request }: Call): boolean {
  return request.header('content-type') === undefined && (request.body.size ?? 0) === 0;
}

/** An import that is requested by a JSON body. */
interface SourceImport {
  readonly destination: ImportDestination;
  /** The options of the URL. */
  readonly query: ImportParameters;
  /** The profile that the URL names. */
  readonly profile: ImportProfile | null;
  readonly idempotencyKey: string | null;
}

type Keyed = Required<Pick<ImportRequest, 'idempotencyKey' | 'requestId' | 'request'>>;

/** @throws ServiceError FORBIDDEN for a file that the caller may not read; other refusals */
async function importStored(
  call: Call,
  { destination, query, profile }: SourceImport,
  file: string,
  keyed: Keyed,
): Promise<string> {
  const { assets, imports } = call.services;
  const named = { profile: profile?.name };
  const asset = await importedFile(assets, call.caller, file);
  const label: LabelledFile = { filename: asset.filename, mimeType: asset.type, charset: null };
  const end = Math.min(asset.bytes, BEGINNING) - 1;
  const stream = end < 0 ? NOTHING : assets.read(asset, { start: 0, end });
  const { format, gzip, implied } = await withDetectedFormat({ ...label, stream });
  const facts = { format, implied, profile: profile?.parameters };
  const parameters = importParameters(query, new Map(), facts);
  const upload = { name: asset.filename, format, gzip, parameters, asset, ...named, ...keyed };
  return await imports.acceptStored(call.caller, destination, upload);
}

/**
 * Downloads the file into the spool, like an upload. The edge does that, because a slow server then
 * holds one connection of its requester; it would hold one of the few slots of a worker, and the
 * queue of the collection. So the URL, which may contain a secret, is stored nowhere.
 */
async function importDownload(
  call: Call,
  { destination, query, profile }: SourceImport,
  url: string,
  keyed: Keyed,
): Promise<string> {
  const { config, imports } = call.services;
  const named = { profile: profile?.name };
  const fetched = await fetchResumed(url, {
    ...{ denied: config.IMPORT_IP_DENY_LIST, allowed: config.IMPORT_IP_ALLOW_LIST },
    ...{ maxBytes: config.IMPORT_MAX_SIZE, variable: 'IMPORT_MAX_SIZE' },
    timeout: config.IMPORT_URL_TIMEOUT,
    signal: call.request.signal,
  });
  try {
    const { filename, type: mimeType, charset, content: stream, size } = fetched;
    const detected = await withDetectedFormat({ filename, mimeType, charset, stream });
    const { format, gzip, implied, content } = detected;
    const facts = { format, implied, profile: profile?.parameters };
    const parameters = importParameters(query, new Map(), facts);
    const upload = { name: filename, format, gzip, parameters, content, size, ...named, ...keyed };
    return await imports.accept(call.caller, destination, upload);
  } finally {
    fetched.close();
  }
}

/** Downloads again from the beginning when a server breaks off and cannot resume. */
async function restarted(download: () => Promise<string>): Promise<string> {
  for (let downloads = 1; ; downloads += 1) {
    try {
      return await download();
    } catch (error) {
      const isBroken = error instanceof BrokenOff && !error.isFinal;
      if (!isBroken || downloads === MOST_DOWNLOADS) throw error;
    }
  }
}

/**
 * Submits the import of a file that the body names.
 * @returns the id of the job
 */
export async function importFromSource(call: Call, wanted: SourceImport): Promise<string> {
  const { imports, uploads } = call.services;
  const { destination, query, profile, idempotencyKey } = wanted;
  const source = await sourceOf(call, profile);
  // A later change of the profile does not make it another request.
  const named = profile === null ? {} : { profile: profile.name };
  const request = { source, query, ...named };
  const keyed: Keyed = { idempotencyKey, requestId: call.request.id, request };
  const earlier = await imports.repeated(call.caller, destination, keyed);
  if (earlier !== null) return earlier;
  if ('file' in source) return await importStored(call, wanted, source.file, keyed);
  const { url } = source;
  return await uploads.run(quotaKeyOf(call.caller), () =>
    restarted(() => importDownload(call, wanted, url, keyed)),
  );
}
