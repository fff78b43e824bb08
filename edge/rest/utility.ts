/**
 * The routes of small services: random texts, hashes, moving items, going back to a revision,
 * forgetting what is kept.
 */
import * as v from 'valibot';
import { quotaKeyOf } from '#core/access/quota-key.ts';
import { forbidden, invalidQuery, unavailable } from '#core/errors/service-error.ts';
import { cacheClearResult, cacheClearSubmission } from '#core/jobs/message/cache-clear.ts';
import { generateHash, verifyHash } from '#core/services/hash.ts';
import { randomString } from '#core/services/random.ts';
import { moveItem } from '#core/services/sorting.ts';
import type { Response } from '#edge/http/response.ts';
import type { Router } from '#edge/http/router.ts';
import { strict } from '#edge/limit/strict.ts';
import type { EdgeServices } from '#edge/services.ts';
import { bodyOf, members, word } from './body.ts';
import {
  type CallHandler,
  data,
  lastSegment,
  NO_CONTENT,
  param,
  routesOf,
  visitorOf,
} from './call.ts';
import { jobAnswer } from './job-answer.ts';

const DEFAULT_LENGTH = '32';
const MAX_LENGTH = 500;

/** What is made of secrets, or may become one, is nobody else's. */
function secret(value: unknown): Response {
  return { ...data(value), headers: { 'Cache-Control': 'no-store' } };
}

const random: CallHandler = async ({ parameters }) => {
  const { length = DEFAULT_LENGTH } = parameters;
  const wanted = typeof length === 'string' && /^\d{1,3}$/.test(length) ? Number(length) : 0;
  if (wanted < 1 || wanted > MAX_LENGTH) {
    throw invalidQuery(`"length" must be a whole number from 1 to ${MAX_LENGTH}.`);
  }
  return secret(randomString(wanted));
};

const generateBody = members({ string: word });

const generate: CallHandler = async (call) => {
  const { string } = await bodyOf(call, generateBody);
  return secret(await generateHash(call.services.config, string));
};

const verifyBody = members({ string: word, hash: word });

const verify: CallHandler = async (call) => {
  const { string, hash } = await bodyOf(call, verifyBody);
  return secret(await verifyHash(call.services.config, string, hash));
};

const key = v.union(
  [v.string(), v.number(), v.array(v.union([v.string(), v.number()]))],
  'must be a key',
);
const sortBody = v.strictObject({ item: key, to: key }, 'is missing, or not known here');

const sort: CallHandler = async (call) => {
  const { caller, services } = call;
  const move = await bodyOf(call, sortBody);
  const target = { caller, collection: param(call, 'collection'), visitor: visitorOf(call) };
  await moveItem(services.items, target, move);
  return { status: 200 };
};

const revert: CallHandler = async (call) => {
  const { caller, services } = call;
  await services.reverts.revert({ caller, visitor: visitorOf(call) }, lastSegment(call));
  return NO_CONTENT;
};

const clearCache: CallHandler = async (call) => {
  const { caller, services } = call;
  if (!caller.admin) throw forbidden('Only administrators clear the cache.');
  const { id } = await services.jobs.submit({
    ...cacheClearSubmission(caller.user),
    holder: quotaKeyOf(caller),
  });
  return jobAnswer(call, id, ({ result }) => {
    const { unconfirmed } = v.parse(cacheClearResult, result);
    if (unconfirmed.length === 0) return { status: 200 };
    throw unavailable('cache', `These processes have not confirmed: ${unconfirmed.join(', ')}.`);
  });
};

export function addUtilityRoutes(router: Router, services: EdgeServices): void {
  const route = routesOf(services);
  router
    .add('GET', '/utils/random/string', route(random, ['length']))
    .add('POST', '/utils/hash/generate', route(strict('hash', generate)))
    .add('POST', '/utils/hash/verify', route(strict('hash', verify)))
    .add('POST', '/utils/cache/clear', route(clearCache))
    .add('POST', '/utils/sort/:collection', route(sort))
    .add('POST', '/utils/revert/:revision', route(revert));
}
