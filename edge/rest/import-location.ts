/** Imports of objects of a location: of one key, or of all new objects with a prefix. */
import * as v from 'valibot';
import { reason } from '#core/base/errors/reason.ts';
import { type ErrorEntry, invalidPayload, ServiceError } from '#core/base/errors/service-error.ts';
import {
  isObjectKey,
  isObjectPrefix,
  type LocatedObject,
} from '#core/files/location/object-location.ts';
import type { ObjectImport } from '#core/jobs/imported-objects.ts';
import { DoubtfulSubmission } from '#core/jobs/submit.ts';
import { importParameters } from '#core/services/import-parameters.ts';
import type { LocatedUpload } from '#core/services/imports.ts';
import { requireLocationRights } from '#core/services/location-objects.ts';
import type { Call } from './call.ts';
import { BEGINNING, withDetectedFormat } from './import-format.ts';
import { type Keyed, NOTHING, type SourceImport } from './import-request.ts';

/** Maximum jobs and refusals of one request. */
const MOST_OBJECTS = 100;
/** Maximum objects that one request looks at. */
const MOST_LISTED = 10_000;
/** Objects that one query compares with earlier imports. */
const PAGE = 500;
/** Errors that concern the whole request, not one object. */
const OF_ALL: ReadonlySet<string> = new Set(['SERVICE_UNAVAILABLE', 'REQUESTS_EXCEEDED']);

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** The data of the answer to an import by prefix. */
export const prefixAnswer = v.strictObject({
  /** In the order of the keys. */
  jobs: v.array(v.strictObject({ key: v.string(), job: v.pipe(v.string(), v.uuid()) })),
  /** Objects that were imported before, and those whose import is not over. */
  skipped: v.strictObject({ imported: count, running: count }),
  refused: v.array(
    v.strictObject({
      key: v.string(),
      error: v.object({ message: v.string(), extensions: v.looseObject({ code: v.string() }) }),
    }),
  ),
  /** The key after which the next request continues; null at the end. */
  next: v.nullable(v.string()),
});

export type PrefixAnswer = Omit<v.InferOutput<typeof prefixAnswer>, 'refused'> & {
  readonly refused: readonly { readonly key: string; readonly error: ErrorEntry }[];
};

async function requireAdministrator({ services, caller }: Call): Promise<void> {
  requireLocationRights(await services.access.rightsOf(caller));
}

/** An object with its format and the options that fit it. */
async function upload(
  { services }: Call,
  { query, profile }: SourceImport,
  location: string,
  object: LocatedObject,
): Promise<Omit<LocatedUpload, 'once'>> {
  const end = Math.min(object.bytes, BEGINNING) - 1;
  const stream = end < 0 ? NOTHING : services.located.read(location, object, { start: 0, end });
  const filename = object.key.slice(object.key.lastIndexOf('/') + 1);
  const file = { filename, mimeType: '', charset: null, stream };
  const { format, gzip, implied } = await withDetectedFormat(file);
  const facts = { format, implied, profile: profile?.parameters };
  const parameters = importParameters(query, new Map(), facts);
  const named = { profile: profile?.name };
  return { name: object.key, format, gzip, parameters, location, object, ...named };
}

/**
 * Submits the import of one object.
 * @returns the id of the job
 * @throws ServiceError FORBIDDEN, INVALID_PAYLOAD, UNSUPPORTED_MEDIA_TYPE, SERVICE_UNAVAILABLE
 */
export async function importKey(
  call: Call,
  wanted: SourceImport,
  { location, key }: { readonly location: string; readonly key: string },
  keyed: Keyed,
): Promise<string> {
  await requireAdministrator(call);
  const { located, imports } = call.services;
  const object = await located.find(location, key);
  const request = { ...(await upload(call, wanted, location, object)), ...keyed, once: false };
  return await imports.acceptLocated(call.caller, wanted.destination, request);
}

/** Submits the imports of one request, object by object. */
class PrefixImport {
  readonly #call: Call;
  readonly #wanted: SourceImport;
  readonly #location: string;
  readonly jobs: { key: string; job: string }[] = [];
  readonly refused: { key: string; error: ErrorEntry }[] = [];
  readonly skipped = { imported: 0, running: 0 };
  /** The last object that is done. */
  last: string | null = null;

  constructor(call: Call, wanted: SourceImport, location: string) {
    this.#call = call;
    this.#wanted = wanted;
    this.#location = location;
  }

  get isFull(): boolean {
    return this.jobs.length + this.refused.length >= MOST_OBJECTS;
  }

  /** @returns false when the request has enough objects */
  async take(objects: readonly LocatedObject[]): Promise<boolean> {
    const { importedObjects } = this.#call.services;
    const { collection } = this.#wanted.destination;
    const valid = objects.filter(({ key }) => isObjectKey(key));
    const taken = await importedObjects.taken(this.#location, collection, valid);
    for (const object of objects) {
      const { key } = object;
      const state = taken.get(key);
      if (state !== undefined) this.skipped[state] += 1;
      else {
        if (this.isFull) return false;
        await this.#import(object);
      }
      this.last = key;
    }
    return true;
  }

  async #import(object: LocatedObject): Promise<void> {
    const { key } = object;
    try {
      if (!isObjectKey(key)) throw invalidPayload(reason('import_key_invalid'));
      const job = await this.#submit(object);
      if (job === null) this.skipped.running += 1;
      else this.jobs.push({ key, job });
    } catch (error) {
      if (!(error instanceof ServiceError) || OF_ALL.has(error.code)) throw error;
      this.refused.push({ key, error: error.toJSON() });
    }
  }

  /** @returns the id of the job; null when another request was faster */
  async #submit(object: LocatedObject): Promise<string | null> {
    const { services, caller, request } = this.#call;
    const { destination } = this.#wanted;
    const file = await upload(this.#call, this.#wanted, this.#location, object);
    const isDry = file.parameters.dryRun === true;
    const submission: LocatedUpload = { ...file, once: !isDry, requestId: request.id };
    const submit = () => services.imports.acceptLocated(caller, destination, submission);
    if (isDry) return await submit();
    const { importedObjects } = services;
    const { collection } = destination;
    const claim: ObjectImport = { ...object, location: this.#location, collection };
    if (!(await importedObjects.claim(claim))) return null;
    try {
      const job = await submit();
      await importedObjects.submitted(claim, job);
      return job;
    } catch (error) {
      // A job that may exist keeps its claim, which ends by itself.
      if (error instanceof ServiceError && !(error instanceof DoubtfulSubmission)) {
        await importedObjects.release(claim);
      }
      throw error;
    }
  }
}

/**
 * Submits the imports of the objects with a prefix that are not imported yet, in the order of their
 * keys. An object whose import failed is imported again.
 * @throws ServiceError FORBIDDEN, INVALID_PAYLOAD; SERVICE_UNAVAILABLE and REQUESTS_EXCEEDED before
 *   the first job
 */
export async function importPrefix(
  call: Call,
  wanted: SourceImport,
  source: {
    readonly location: string;
    readonly prefix: string;
    readonly after?: string | undefined;
  },
): Promise<PrefixAnswer> {
  await requireAdministrator(call);
  const { location, prefix, after = '' } = source;
  // Each object would delete the rows of the others.
  if ((wanted.query.mode ?? wanted.profile?.parameters.mode) === 'mirror') {
    throw invalidPayload(reason('mirror_of_prefix'));
  }
  if (!isObjectPrefix(after)) throw invalidPayload(reason('import_key_invalid'));
  const work = new PrefixImport(call, wanted, location);
  const { skipped, refused, jobs } = work;
  const answer = (next: string | null): PrefixAnswer => ({ jobs, skipped, refused, next });
  let page: LocatedObject[] = [];
  let listed = 0;
  try {
    for await (const object of call.services.located.list(location, prefix, after)) {
      page.push(object);
      listed += 1;
      if (page.length < PAGE && listed < MOST_LISTED) continue;
      if (!(await work.take(page)) || listed === MOST_LISTED) return answer(work.last);
      page = [];
    }
    return answer((await work.take(page)) ? null : work.last);
  } catch (error) {
    const isPartial = error instanceof ServiceError && jobs.length > 0;
    if (!isPartial || work.last === null) throw error;
    call.services.log.warn({ err: error, location }, 'an import by prefix stopped before its end');
    return answer(work.last);
  }
}
