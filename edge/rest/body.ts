/** Reads bodies of a fixed shape. What is wrong with one is told without repeating what it holds. */
import * as v from 'valibot';
import type { Config } from '#core/config/config.ts';
import { invalidPayload } from '#core/errors/service-error.ts';
import type { SizeLimit } from '#edge/http/request.ts';
import type { Call } from './call.ts';
import { requireKnownMembers } from './preference.ts';

/** An object with these members; others are let pass. */
export function members<const E extends v.ObjectEntries>(entries: E) {
  return v.object(entries, 'is missing');
}

/** A text that is not empty. */
export const word = v.pipe(v.string('must be a text'), v.nonEmpty('must not be empty'));

/** A name of up to 50 characters, none of which is a control character; null when not given. */
export const personalName = v.nullish(
  v.pipe(
    v.string('must be a text'),
    v.maxLength(50, 'must have up to 50 characters'),
    v.regex(/^\P{Cc}*$/u, 'must not hold control characters'),
  ),
  null,
);

const LONGEST_ADDRESS = 128;

/** An e-mail address that an account may have. */
export const address = v.pipe(
  v.string('must be a text'),
  v.maxLength(LONGEST_ADDRESS, `must have up to ${LONGEST_ADDRESS} characters`),
  v.email('must be an e-mail address'),
);

/** The URL of a page; which ones may be used is decided elsewhere. */
export const page = v.nullish(
  v.pipe(v.string('must be a text'), v.maxLength(2_048, 'is too long')),
);

/** The bound of bodies that hold a few named values. */
function formLimit({ FORM_MAX_SIZE: bytes }: Pick<Config, 'FORM_MAX_SIZE'>): SizeLimit {
  return { bytes, variable: 'FORM_MAX_SIZE' };
}

/**
 * The body of a call.
 * @param isLong it holds more than a few named values
 * @throws ServiceError INVALID_PAYLOAD naming the first member that cannot be used; CONTENT_TOO_LARGE
 */
export async function bodyOf<S extends v.GenericSchema>(
  call: Call,
  schema: S,
  isLong = false,
): Promise<v.InferOutput<S>> {
  const limit = isLong ? undefined : formLimit(call.services.config);
  const body = await call.request.body.json(limit);
  const result = v.safeParse(schema, body, { abortEarly: true, abortPipeEarly: true });
  if (result.success) {
    // What the schema does not know is not in its output.
    if (call.strict) requireKnownMembers(body, Object.keys(result.output ?? {}));
    return result.output;
  }
  const [issue] = result.issues;
  const path = v.getDotPath(issue);
  throw invalidPayload(path === null ? 'It must be an object.' : `"${path}" ${issue.message}.`);
}
