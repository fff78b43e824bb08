/**
 * `POST /utils/import/:collection`: takes the file, submits a job, and responds when the job has
 * ended.
 */
import * as v from 'valibot';
import { quotaKeyOf } from '#core/access/quota-key.ts';
import { reason } from '#core/base/errors/reason.ts';
import { invalidQuery, ServiceError } from '#core/base/errors/service-error.ts';
import type { ImportDestination } from '#core/services/import-destination.ts';
import { importParameters, importQuery } from '#core/services/import-parameters.ts';
import type { ImportProfile } from '#core/services/import-profile.ts';
import { firstFile } from '#edge/http/multipart.ts';
import type { Response } from '#edge/http/response.ts';
import { type Call, type CallHandler, pathParameter } from './call.ts';
import { idempotencyKeyOf } from './idempotency-key.ts';
import { withDetectedFormat } from './import-format.ts';
import { prefixAnswer } from './import-location.ts';
import { lacksBody } from './import-request.ts';
import { importFromSource, importSource } from './import-source.ts';
import { acceptedResponse, jobLocation, jobResponse } from './job-answer.ts';
import { IMPORT_OPTIONS } from './parameter/import.ts';
import { flagParameter } from './parameter/item.ts';
import { dataAnswer, type RouteEntry, WRITE_ERRORS } from './route.ts';

/**
 * A multipart body contains little besides the file, so a longer body contains a file that is too
 * large.
 */
const ENVELOPE_BYTES = 65_536;

/** Refuses a file by its declared length before the body is read. */
function checkSize(call: Call): void {
  const { IMPORT_MAX_SIZE: limit } = call.services.config;
  const { size } = call.request.body;
  if (limit === undefined || size === undefined || size <= limit + ENVELOPE_BYTES) return;
  throw new ServiceError('CONTENT_TOO_LARGE', { limit, variable: 'IMPORT_MAX_SIZE' });
}

/** Whether the client requests an immediate response, by the parameter of this route. */
function isBackground(call: Call): boolean {
  const { background } = call.parameters;
  return background !== undefined && background !== 'false';
}

/** Whether the body names the file instead of containing it. */
function isNamed({ request }: Call): boolean {
  return /^application\/json\s*(;|$)/i.test(request.header('content-type') ?? '');
}

async function answerOf(call: Call, id: string): Promise<Response> {
  if (isBackground(call)) return acceptedResponse(call, id);
  return jobResponse(call, id, () => ({ status: 200, headers: { Location: jobLocation(id) } }));
}

/** The profile that the URL names; null without one. */
async function profileOf(
  { caller, parameters, services }: Call,
  { collection }: ImportDestination,
): Promise<ImportProfile | null> {
  const { profile: name } = parameters;
  if (name === undefined) return null;
  if (typeof name === 'string') return await services.profiles.find(caller, name, collection);
  throw invalidQuery(reason('option_text_expected', { name: 'profile' }));
}

const importFile: CallHandler = async (call) => {
  const { imports, uploads } = call.services;
  const destination = await imports.authorize(call.caller, pathParameter(call, 'collection'));
  const query = importQuery(call.parameters);
  const profile = await profileOf(call, destination);
  const idempotencyKey = idempotencyKeyOf(call.request);
  if (isNamed(call) || (profile !== null && lacksBody(call))) {
    const wanted = { destination, query, profile, idempotencyKey };
    const outcome = await importFromSource(call, wanted);
    if (typeof outcome === 'string') return await answerOf(call, outcome);
    return { status: 200, body: JSON.stringify({ data: outcome }) };
  }
  checkSize(call);
  const id = await uploads.run(quotaKeyOf(call.caller), async () => {
    const incoming = await firstFile(call.request);
    const { format, gzip, content, implied } = await withDetectedFormat(incoming);
    const upload = {
      name: incoming.filename,
      ...{ format, gzip, content },
      parameters: importParameters(query, incoming.fields, {
        ...{ format, implied },
        profile: profile?.parameters,
      }),
      profile: profile?.name,
      size: call.request.body.size,
      idempotencyKey,
      requestId: call.request.id,
    };
    return await imports.accept(call.caller, destination, upload);
  });
  return await answerOf(call, id);
};

export const IMPORT_ROUTES: readonly RouteEntry[] = [
  {
    method: 'POST',
    path: '/utils/import/:collection',
    summary: 'Imports a file of items',
    access: 'rights',
    needs: [
      { action: 'create', collection: 'path' },
      { action: 'update', collection: 'path' },
    ],
    parameters: {
      profile: { summary: 'The name of a stored profile of options', schema: v.string() },
      background: { summary: 'Answers at once, with the job', schema: flagParameter },
      ...IMPORT_OPTIONS,
    },
    headers: ['Prefer', 'Idempotency-Key'],
    errors: [...WRITE_ERRORS, 'OUT_OF_TIME', 'CONFLICT', 'UNPROCESSABLE_ENTITY', 'LIMIT_EXCEEDED'],
    body: {
      types: ['multipart/form-data', 'application/json'],
      schema: importSource,
      limit: 'IMPORT_MAX_SIZE',
    },
    answer: { ...dataAnswer(prefixAnswer), job: true },
    handle: importFile,
  },
];
