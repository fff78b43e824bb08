/** The routes below `/utils`: random texts, hashes, sorting, reverting, clearing caches. */
import { randomBytes } from 'node:crypto';
import * as v from 'valibot';
import { quotaKeyOf } from '#core/access/quota-key.ts';
import { reason } from '#core/base/errors/reason.ts';
import { invalidQuery, unavailable } from '#core/base/errors/service-error.ts';
import { cacheClearResult } from '#core/jobs/message/cache-clear.ts';
import { clearCache } from '#core/services/clear-cache.ts';
import { generateHash, verifyHash } from '#core/services/hash-text.ts';
import { moveItem } from '#core/services/move-item.ts';
import { nonEmptyText, objectSchema } from './body.ts';
import {
  type CallHandler,
  lastSegment,
  NO_CONTENT,
  pathParameter,
  secretResponse,
  visitorOf,
} from './call.ts';
import { idempotencyKeyOf } from './idempotency-key.ts';
import { jobResponse } from './job-answer.ts';
import {
  dataAnswer,
  EMPTY_ANSWER,
  NO_CONTENT_ANSWER,
  parsedBody,
  type RouteEntry,
  WRITE_ERRORS,
} from './route.ts';

const DEFAULT_LENGTH = '32';
const MAX_LENGTH = 500;

const random: CallHandler = async ({ parameters }) => {
  const { length = DEFAULT_LENGTH } = parameters;
  const wanted = typeof length === 'string' && /^\d{1,3}$/.test(length) ? Number(length) : 0;
  if (wanted < 1 || wanted > MAX_LENGTH) {
    throw invalidQuery(reason('length_out_of_range', { limit: MAX_LENGTH }));
  }
  return secretResponse(randomString(wanted));
};

const generateBody = objectSchema({ string: nonEmptyText });

const verifyBody = objectSchema({ string: nonEmptyText, hash: nonEmptyText });

const key = v.union(
  [v.string(), v.number(), v.array(v.union([v.string(), v.number()]))],
  'must be a key',
);
const sortBody = v.strictObject({ item: key, to: key }, 'is missing, or unknown here');

const revert: CallHandler = async (call) => {
  const { caller, services } = call;
  await services.reverts.revert({ caller, visitor: visitorOf(call) }, lastSegment(call));
  return NO_CONTENT;
};

const clear: CallHandler = async (call) => {
  const id = await clearCache(call.services.jobs, call.caller, {
    idempotencyKey: idempotencyKeyOf(call.request),
    requestId: call.request.id,
  });
  return jobResponse(call, id, ({ result }) => {
    const { unconfirmed } = v.parse(cacheClearResult, result);
    if (unconfirmed.length === 0) return { status: 200 };
    throw unavailable(
      'cache',
      reason('cache_processes_unconfirmed', { processes: unconfirmed.join(', ') }),
    );
  });
};

export const UTILITY_ROUTES: readonly RouteEntry[] = [
  {
    method: 'GET',
    path: '/utils/random/string',
    summary: 'Makes a random text',
    access: 'anyone',
    parameters: {
      length: {
        summary: 'Characters',
        schema: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MAX_LENGTH)),
      },
    },
    body: null,
    answer: dataAnswer(v.string()),
    handle: random,
  },
  {
    method: 'POST',
    path: '/utils/hash/generate',
    summary: 'Hashes a text like a password',
    access: 'anyone',
    answer: dataAnswer(v.string()),
    limit: 'hash',
    ...parsedBody(generateBody, async ({ services, caller }, { string }) =>
      secretResponse(await generateHash(services.config, string, quotaKeyOf(caller))),
    ),
  },
  {
    method: 'POST',
    path: '/utils/hash/verify',
    summary: 'Compares a text with a hash',
    access: 'anyone',
    answer: dataAnswer(v.boolean()),
    limit: 'hash',
    ...parsedBody(verifyBody, async ({ services, caller }, { string, hash }) =>
      secretResponse(await verifyHash(services.config, string, hash, quotaKeyOf(caller))),
    ),
  },
  {
    method: 'POST',
    path: '/utils/cache/clear',
    summary: 'Clears the caches of all processes',
    access: 'administrator',
    body: null,
    headers: ['Prefer', 'Idempotency-Key'],
    errors: ['UNPROCESSABLE_ENTITY'],
    answer: { ...EMPTY_ANSWER, job: true },
    handle: clear,
  },
  {
    method: 'POST',
    path: '/utils/sort/:collection',
    summary: 'Moves an item to the position of another',
    access: 'rights',
    needs: [{ action: 'update', collection: 'path' }],
    answer: EMPTY_ANSWER,
    ...parsedBody(sortBody, async (call, move) => {
      const { caller, services } = call;
      const target = {
        caller,
        collection: pathParameter(call, 'collection'),
        visitor: visitorOf(call),
      };
      await moveItem(services.items, target, move);
      return { status: 200 };
    }),
  },
  {
    method: 'POST',
    path: '/utils/revert/:revision',
    summary: 'Reverts an item to one of its revisions',
    access: 'rights',
    needs: [{ action: 'update', collection: 'any' }],
    body: null,
    answer: NO_CONTENT_ANSWER,
    errors: [...WRITE_ERRORS, 'UNPROCESSABLE_ENTITY'],
    handle: revert,
  },
];

/**
 * A random text of letters, digits, `-` and `_`, with six random bits per character.
 * @param length in characters
 */
function randomString(length: number): string {
  return randomBytes(Math.ceil((length * 3) / 4))
    .toString('base64url')
    .slice(0, length);
}
