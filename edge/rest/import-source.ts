/** The files of imports that a JSON body names: of `/files`, of a URL, or objects of a location. */
import * as v from 'valibot';
import { quotaKeyOf } from '#core/access/quota-key.ts';
import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload } from '#core/base/errors/service-error.ts';
import { BrokenOff } from '#core/files/outbound/fetch-outside.ts';
import { fetchResumed } from '#core/files/outbound/fetch-resumed.ts';
import { importedFile } from '#core/services/files/imported-file.ts';
import { importParameters } from '#core/services/import-parameters.ts';
import type { ImportProfile } from '#core/services/import-profile.ts';
import { type ImportSource, importSourceOf } from '#core/services/import-source.ts';
import { nonEmptyText, parseBody } from './body.ts';
import type { Call } from './call.ts';
import { BEGINNING, type LabelledFile, withDetectedFormat } from './import-format.ts';
import { importKey, importPrefix, type PrefixAnswer } from './import-location.ts';
import { type Keyed, lacksBody, NOTHING, type SourceImport } from './import-request.ts';

/** Maximum downloads of a file whose server breaks off and cannot resume. */
const MOST_DOWNLOADS = 3;

const urlText = v.pipe(nonEmptyText, v.maxLength(8_192, 'is too long'));

const text = v.string('must be a text');

/** The body of an import that names its file, or objects of a location. */
export const importSource = v.union([
  v.strictObject({ file: nonEmptyText }),
  v.strictObject({ url: urlText }),
  v.strictObject({ location: nonEmptyText, key: nonEmptyText }),
  v.strictObject({ location: nonEmptyText, prefix: text, after: v.optional(text) }),
  v.strictObject({}),
]);

/** The same with any members, so that each fault has its own reason. */
const anyMembers = v.looseObject(
  {
    file: v.optional(nonEmptyText),
    url: v.optional(urlText),
    location: v.optional(nonEmptyText),
    key: v.optional(nonEmptyText),
    prefix: v.optional(text),
    after: v.optional(text),
  },
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
 * @returns the id of the job; for a prefix the jobs of its objects
 */
export async function importFromSource(
  call: Call,
  wanted: SourceImport,
): Promise<string | PrefixAnswer> {
  const { imports, uploads } = call.services;
  const { destination, query, profile, idempotencyKey } = wanted;
  const source = await sourceOf(call, profile);
  if ('prefix' in source) return await importPrefix(call, wanted, source);
  // A later change of the profile does not make it another request.
  const named = profile === null ? {} : { profile: profile.name };
  const request = { source, query, ...named };
  const keyed: Keyed = { idempotencyKey, requestId: call.request.id, request };
  const earlier = await imports.repeated(call.caller, destination, keyed);
  if (earlier !== null) return earlier;
  if ('file' in source) return await importStored(call, wanted, source.file, keyed);
  if ('key' in source) return await importKey(call, wanted, source, keyed);
  const { url } = source;
  return await uploads.run(quotaKeyOf(call.caller), () =>
    restarted(() => importDownload(call, wanted, url, keyed)),
  );
}
