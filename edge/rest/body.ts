/** Reads bodies of a fixed shape. What is wrong with one is told without repeating what it holds. */
import * as v from 'valibot';
import { invalidPayload } from '#core/errors/service-error.ts';
import type { Call } from './call.ts';
import { requireKnownMembers } from './prefer-header.ts';

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

/**
 * The body of a call.
 * @param limit the variable that bounds its size; BODY_MAX_SIZE holds anyway
 * @throws ServiceError INVALID_PAYLOAD naming the first member that cannot be used; CONTENT_TOO_LARGE
 */
export async function bodyOf<S extends v.GenericSchema>(
  call: Call,
  schema: S,
  limit: 'FORM_MAX_SIZE' | 'BODY_MAX_SIZE' = 'FORM_MAX_SIZE',
): Promise<v.InferOutput<S>> {
  const { FORM_MAX_SIZE: bytes } = call.services.config;
  const bound = limit === 'FORM_MAX_SIZE' ? { bytes, variable: limit } : undefined;
  const body = await call.request.body.json(bound);
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
