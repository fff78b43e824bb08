/** Reads stored profiles of imports: their options by the parser of requests, and their source. */
import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload, ServiceError } from '#core/base/errors/service-error.ts';
import { isJsonObject } from '#core/base/json/json-object.ts';
import { parsedUrl } from '#core/files/outbound/fetch-outside.ts';
import type { ImportParameters } from '#core/jobs/message/import-parameters.ts';
import { parseImportOption } from './import-option.ts';
import { contradiction } from './import-parameters.ts';
import { type ImportSource, importSourceOf } from './import-source.ts';

/** The members of a stored profile. */
export interface StoredProfile {
  readonly name: string;
  readonly collection: string;
  readonly source: unknown;
  readonly mapping: unknown;
  readonly options: unknown;
  readonly mode: string | null;
}

/** A profile that can be used. */
export interface ImportProfile {
  readonly name: string;
  readonly collection: string;
  readonly parameters: ImportParameters;
  /** The file that it names; null when each import has to. */
  readonly source: ImportSource | null;
}

/** Options with members of their own in a profile. */
const MEMBERS: ReadonlySet<string> = new Set(['mapping', 'mode']);

/** A value of JSON as the text of an option. */
function optionText(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join();
  if (isJsonObject(value)) return JSON.stringify(value);
  throw invalidPayload(reason('profile_option_value_unknown', { name }));
}

/** Adds the member of the profile to the details of a refusal. */
function inMember<T>(field: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { reason: why, ...details } = error instanceof ServiceError ? error.details : {};
    throw why === undefined ? error : invalidPayload(why, { ...details, field });
  }
}

function parsed(options: Readonly<Record<string, unknown>>): ImportParameters {
  const given = Object.entries(options).filter(([, value]) => value !== null);
  const parts = given.map(([name, value]) =>
    parseImportOption(name, optionText(name, value), invalidPayload),
  );
  return Object.assign({}, ...parts);
}

function optionsOf(options: unknown): ImportParameters {
  if (options === null) return {};
  if (!isJsonObject(options)) throw invalidPayload(reason('profile_options_expected'));
  const [own] = Object.keys(options).filter((name) => MEMBERS.has(name));
  if (own !== undefined) throw invalidPayload(reason('profile_option_is_member', { name: own }));
  return parsed(options);
}

function sourceOf(value: unknown): ImportSource | null {
  if (value === null) return null;
  const source = importSourceOf(value);
  if ('url' in source) parsedUrl(source.url);
  return source;
}

/**
 * Parses a stored profile.
 * @throws ServiceError INVALID_PAYLOAD with the member and the option that is wrong
 */
export function importProfileOf(stored: StoredProfile): ImportProfile {
  const { name, collection, mapping, mode } = stored;
  for (const member of ['name', 'collection'] as const) {
    if (stored[member].trim() !== '') continue;
    throw invalidPayload(reason('text_empty', { name: member }), { field: member });
  }
  const parameters = {
    ...inMember('options', () => optionsOf(stored.options)),
    ...inMember('mapping', () => parsed({ mapping })),
    ...inMember('mode', () => parsed({ mode })),
  };
  const why = contradiction(parameters);
  if (why !== null) throw invalidPayload(why, { field: 'options' });
  const source = inMember('source', () => sourceOf(stored.source));
  return { name, collection, parameters, source };
}
