/** The source of an imported file, as a request or a profile names it. */
import * as v from 'valibot';
import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload } from '#core/base/errors/service-error.ts';
import { isJsonObject } from '#core/base/json/json-object.ts';

/** A file of `/files` by its key, a file of a URL, an object of a location, or its new objects. */
export type ImportSource =
  | { readonly file: string }
  | { readonly url: string }
  | { readonly location: string; readonly key: string }
  | { readonly location: string; readonly prefix: string; readonly after?: string | undefined };

const text = v.pipe(v.string(), v.nonEmpty());

const sources = v.union([
  v.strictObject({ file: text }),
  v.strictObject({ url: v.pipe(text, v.maxLength(8_192)) }),
  v.strictObject({ location: text, key: text }),
  v.strictObject({ location: text, prefix: v.string(), after: v.optional(v.string()) }),
]);

const MEMBERS: ReadonlySet<string> = new Set([
  ...(['file', 'url', 'location', 'key', 'prefix', 'after'] as const),
]);

/**
 * The source in an object.
 * @throws ServiceError INVALID_PAYLOAD for no source, two sources, and unknown members
 */
export function importSourceOf(value: unknown): ImportSource {
  const given = isJsonObject(value) ? value : {};
  const member = Object.keys(given).find((name) => !MEMBERS.has(name));
  if (member !== undefined) {
    throw invalidPayload(reason('import_source_member_unknown', { member }));
  }
  const present = Object.entries(given).filter(([, one]) => one !== undefined);
  const parsed = v.safeParse(sources, Object.fromEntries(present));
  if (parsed.success) return parsed.output;
  throw invalidPayload(reason('import_source_expected'));
}
