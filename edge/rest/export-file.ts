/**
 * `POST /utils/export/:collection` submits an export to a file, `GET /jobs/:id/file` downloads the
 * file.
 */
import * as v from 'valibot';
import { EXPORT_FORMATS } from '#core/jobs/message/export.ts';
import { FORMATS } from '#core/transfer/export/format.ts';
import { disposition } from '#edge/http/content-disposition.ts';
import type { Response } from '#edge/http/response.ts';
import { fileResponse } from '#edge/http/stored-file.ts';
import { objectSchema } from './body.ts';
import { type Call, type CallHandler, pathParameter, registeredStream } from './call.ts';
import { idempotencyKeyOf } from './idempotency-key.ts';
import { acceptedResponse, jobLocation, logJob } from './job-answer.ts';
import { prefersAsync } from './prefer-header.ts';
import { NO_CONTENT_ANSWER, parsedBody, type RouteEntry } from './route.ts';

/** The name of a file: one line of text without path separators. */
const title = v.pipe(
  v.string('must be a text'),
  v.nonEmpty('must not be empty'),
  v.maxLength(200, 'must have up to 200 characters'),
  v.regex(/^[^\p{Cc}/\\]*$/u, 'must not contain slashes or control characters'),
);

/** Members of the Directus API that have no effect yet. */
const later = v.optional(v.unknown());
const file = v.object(
  { title: v.nullish(title), folder: later, description: later, storage: later, tags: later },
  'must be an object',
);

/** The text of a null, which a CSV file has without quotes. */
const nullText = v.pipe(
  v.string('must be a text'),
  v.nonEmpty('must not be empty'),
  v.maxLength(64, 'must have up to 64 characters'),
  v.regex(/^[^\p{Cc}",]*$/u, 'must not contain quotes, commas or control characters'),
);

const exportBody = objectSchema({
  query: v.optional(v.record(v.string(), v.unknown(), 'must be an object'), {}),
  format: v.picklist(EXPORT_FORMATS, `must be one of ${EXPORT_FORMATS.join(', ')}`),
  file: v.nullish(file),
  export_safe: v.optional(v.boolean('must be true or false'), false),
  export_sep: v.optional(v.boolean('must be true or false'), false),
  null_values: v.optional(nullText),
});

async function submit(call: Call, body: v.InferOutput<typeof exportBody>): Promise<Response> {
  const { caller, services } = call;
  const id = await services.exports.accept(caller, {
    ...{ collection: pathParameter(call, 'collection'), query: body.query, format: body.format },
    ...{ safe: body.export_safe, title: body.file?.title ?? null, strict: call.strict },
    ...(body.export_sep && { sepLine: true }),
    ...(body.null_values !== undefined && { nullText: body.null_values }),
    idempotencyKey: idempotencyKeyOf(call.request),
    requestId: call.request.id,
  });
  if (prefersAsync(call.request)) return acceptedResponse(call, id);
  logJob(call, id);
  return { status: 204, headers: { Location: jobLocation(id) } };
}

const download: CallHandler = async (call) => {
  const { caller, request, services } = call;
  const id = pathParameter(call, 'id');
  const { bytes, collection, file, finished, format, read, sha256 } = await services.exports.file(
    id,
    caller,
  );
  const stored = {
    ...{ bytes, tag: `"${sha256}"`, modified: finished, read },
    type: FORMATS[format].mediaType,
    headers: { 'Content-Disposition': disposition(file) },
  };
  return fileResponse(request, stored, (pieces) =>
    registeredStream(call, { kind: 'items', collection }, pieces),
  );
};

export const EXPORT_ROUTES: readonly RouteEntry[] = [
  {
    method: 'POST',
    path: '/utils/export/:collection',
    summary: 'Exports items to a file',
    access: 'user',
    headers: ['Prefer', 'Idempotency-Key'],
    errors: ['CONFLICT', 'UNPROCESSABLE_ENTITY'],
    answer: { ...NO_CONTENT_ANSWER, job: true },
    ...parsedBody(exportBody, submit),
  },
  {
    method: 'GET',
    path: '/jobs/:id/file',
    summary: 'Downloads the file of an export',
    access: 'user',
    body: null,
    headers: ['Range'],
    errors: ['CONFLICT', 'RANGE_NOT_SATISFIABLE', 'PRECONDITION_FAILED'],
    answer: { statuses: [200, 206, 304], type: 'application/octet-stream' },
    handle: download,
  },
];
