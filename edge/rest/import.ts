/**
 * `POST /utils/import/:collection`: takes the file, submits a job, and responds when the job has
 * ended.
 */
import { quotaKeyOf } from '#core/access/quota-key.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { importParameters, importQuery } from '#core/services/import-parameters.ts';
import { firstFile } from '#edge/http/multipart.ts';
import type { Response } from '#edge/http/response.ts';
import { type Call, type CallHandler, pathParameter } from './call.ts';
import { idempotencyKeyOf } from './idempotency-key.ts';
import { withDetectedFormat } from './import-format.ts';
import { prefixAnswer } from './import-location.ts';
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

const importFile: CallHandler = async (call) => {
  const { imports, uploads } = call.services;
  const destination = await imports.authorize(call.caller, pathParameter(call, 'collection'));
  const query = importQuery(call.parameters);
  const idempotencyKey = idempotencyKeyOf(call.request);
  if (isNamed(call)) {
    const outcome = await importFromSource(call, { destination, query, idempotencyKey });
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
      parameters: importParameters(query, incoming.fields, { format, implied }),
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
