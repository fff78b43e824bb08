/** The source of an imported file, as a request or a profile names it. */
import * as v from 'valibot';
import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload } from '#core/base/errors/service-error.ts';

/** A file of `/files` by its key, or a file of a URL. */
export type ImportSource = { readonly file: string } | { readonly url: string };

const text = v.pipe(v.string(), v.nonEmpty());

const members = v.looseObject({
  file: v.optional(text),
  url: v.optional(v.pipe(text, v.maxLength(8_192))),
});

/**
 * The source in an object.
 * @throws ServiceError INVALID_PAYLOAD for no source, two sources, and unknown members
 */
export function importSourceOf(value: unknown): ImportSource {
  const parsed = v.safeParse(members, value);
  if (!parsed.success) throw invalidPayload(reason('import_source_expected'));
  const { file, url, ...others } = parsed.output;
  const [member] = Object.keys(others);
  if (member !== undefined) {
    throw invalidPayload(reason('import_source_member_unknown', { member }));
  }
  if (file !== undefined && url === undefined) return { file };
  if (file === undefined && url !== undefined) return { url };
  throw invalidPayload(reason('import_source_expected'));
}
