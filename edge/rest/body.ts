/** Reads bodies of a fixed shape. Error messages never repeat values of the body. */
import * as v from 'valibot';
import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload } from '#core/base/errors/service-error.ts';
import { requireKnownMembers } from '#core/read/evaluate/known-members.ts';
import type { Call } from './call.ts';

/** An object with these members; other members are ignored. */
export function objectSchema<const E extends v.ObjectEntries>(entries: E) {
  return v.object(entries, 'is missing');
}

/** A text that is not empty. */
export const nonEmptyText = v.pipe(v.string('must be a text'), v.nonEmpty('must not be empty'));

/** The token of an e-mail, and the new password. */
export const tokenAndPasswordSchema = objectSchema({ token: nonEmptyText, password: nonEmptyText });

/** A name of up to 50 characters without control characters; null when it is missing. */
export const personalNameSchema = v.nullish(
  v.pipe(
    v.string('must be a text'),
    v.maxLength(50, 'must have up to 50 characters'),
    v.regex(/^\P{Cc}*$/u, 'must not contain control characters'),
  ),
  null,
);

const LONGEST_ADDRESS = 128;

/** A valid e-mail address for a user. */
export const emailAddressSchema = v.pipe(
  v.string('must be a text'),
  v.maxLength(LONGEST_ADDRESS, `must have up to ${LONGEST_ADDRESS} characters`),
  v.email('must be an e-mail address'),
);

/** The URL of a page; the allow list is checked elsewhere. */
export const pageUrlSchema = v.nullish(
  v.pipe(v.string('must be a text'), v.maxLength(2_048, 'is too long')),
);

/**
 * The body of a call.
 * @param limit the variable that limits its size; BODY_MAX_SIZE applies in any case
 * @throws ServiceError INVALID_PAYLOAD naming the first invalid member; CONTENT_TOO_LARGE
 */
export async function parseBody<S extends v.GenericSchema>(
  call: Call,
  schema: S,
  limit: 'FORM_MAX_SIZE' | 'BODY_MAX_SIZE' = 'FORM_MAX_SIZE',
): Promise<v.InferOutput<S>> {
  const { FORM_MAX_SIZE: bytes } = call.services.config;
  const bound = limit === 'FORM_MAX_SIZE' ? { bytes, variable: limit } : undefined;
  const body = await call.request.body.json(bound);
  const result = v.safeParse(schema, body, { abortEarly: true, abortPipeEarly: true });
  if (result.success) {
    // The output of a schema contains only its declared members.
    if (call.strict) requireKnownMembers(body, result.output);
    return result.output;
  }
  const [issue] = result.issues;
  const path = v.getDotPath(issue);
  throw invalidPayload(
    path === null
      ? reason('json_object_body_expected')
      : reason('member_invalid', { path, issue: issue.message }),
  );
}
