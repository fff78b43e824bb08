/**
 * The routes of files. Files with content arrive as a multipart body or from a URL, other files as
 * JSON.
 */

import * as v from 'valibot';
import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload, ServiceError } from '#core/base/errors/service-error.ts';
import { FILES } from '#core/services/files/assets.ts';
import type { IncomingUpload } from '#core/services/files/uploads.ts';
import type { RequestTarget } from '#core/services/request-context.ts';
import type { Item } from '#core/write/payload.ts';
import { incomingFiles } from '#edge/http/multipart.ts';
import { nonEmptyText, objectSchema, parseBody } from './body.ts';
import { type Call, type CallHandler, lastSegment, visitorOf } from './call.ts';
import { REST_ENVELOPE } from './envelope.ts';
import { fileFrom } from './file-from-url.ts';
import { itemHandlers, unparsedReadBackQuery, writeResponse } from './item-handler.ts';
import { ALL_FORMS, itemRoutes } from './item-route.ts';
import { ITEM_PARAMETERS } from './parameter/item.ts';
import { anyObjectBody, jsonBody, type RouteEntry, WRITE_ANSWER, WRITE_ERRORS } from './route.ts';

/** The routes that concern only rows. */
const FORMS = ALL_FORMS.filter((form) => form !== 'create' && form !== 'updateOne');
/** Maximum bytes of a multipart body besides its file. */
const ENVELOPE_BYTES = 65_536;

/** The collection of files as the target of a call. */
export function filesOf(call: Call): RequestTarget {
  const { caller, strict, request } = call;
  const origin = { visitor: visitorOf(call), requestId: request.id };
  return { caller, collection: FILES, ...origin, strict, envelope: REST_ENVELOPE };
}

const handlers = itemHandlers((call) => ({ items: call.services.system, target: filesOf(call) }));

function isMultipart({ request }: Call): boolean {
  return /^multipart\/form-data\s*(;|$)/i.test(request.header('content-type') ?? '');
}

/** Refuses a file by its declared length before the body is read. */
function checkSize(call: Call): void {
  const { FILES_MAX_UPLOAD_SIZE: limit } = call.services.config;
  const { size } = call.request.body;
  if (limit === undefined || size === undefined || size <= limit + ENVELOPE_BYTES) return;
  throw new ServiceError('CONTENT_TOO_LARGE', { limit, variable: 'FILES_MAX_UPLOAD_SIZE' });
}

const WORDS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['null', null],
  ['undefined', undefined],
  ['true', true],
  ['false', false],
]);

/** The value that a text part represents. */
function fieldValue(name: string, text: string): unknown {
  if (WORDS.has(text)) return WORDS.get(text);
  if (name !== 'tags' && name !== 'metadata') return text;
  try {
    return JSON.parse(text);
  } catch {
    if (name === 'tags') return text.split(',').map((tag) => tag.trim());
    throw invalidPayload(reason('member_json_expected', { name }), { field: name });
  }
}

/** The field values of a file's row, from the text parts before the file. */
function itemOf(fields: ReadonlyMap<string, string>): Item {
  return Object.fromEntries([...fields].map(([name, text]) => [name, fieldValue(name, text)]));
}

async function* uploadsOf(call: Call): AsyncGenerator<IncomingUpload> {
  checkSize(call);
  for await (const { filename, mimeType, fields, stream } of incomingFiles(call.request)) {
    const item = itemOf(fields);
    yield { item, filename, type: mimeType, content: stream };
  }
}

const create: CallHandler = async (call) => {
  if (!isMultipart(call)) return await handlers.create(call);
  const { files } = call.services;
  return writeResponse(
    await files.create(filesOf(call), uploadsOf(call), unparsedReadBackQuery(call)),
  );
};

const update: CallHandler = async (call) => {
  if (!isMultipart(call)) return await handlers.updateOne(call);
  const { files } = call.services;
  const key = lastSegment(call);
  const question = unparsedReadBackQuery(call);
  return writeResponse(await files.replace(filesOf(call), key, uploadsOf(call), question));
};

const importBody = objectSchema({
  url: v.pipe(nonEmptyText, v.maxLength(8_192, 'is too long')),
  data: v.optional(anyObjectBody, {}),
  options: v.optional(
    objectSchema({
      filterMimeType: v.optional(v.array(v.string('must be types'), 'must be a list')),
    }),
    {},
  ),
});

const importByUrl: CallHandler = async (call) => {
  const { files } = call.services;
  await files.admit(filesOf(call));
  const { url, data: item, options } = await parseBody(call, importBody);
  const upload = fileFrom(call, { url, item, only: options.filterMimeType });
  return writeResponse(await files.create(filesOf(call), upload, unparsedReadBackQuery(call)));
};

/** Deletes files, and then their content. */
function thenTidy(handle: CallHandler): CallHandler {
  return async (call) => {
    const answer = await handle(call);
    call.services.files.tidy();
    return answer;
  };
}

const BODY = {
  types: ['application/json', 'multipart/form-data'],
  schema: anyObjectBody,
  limit: 'BODY_MAX_SIZE',
  ofItems: true,
} as const;

const FACTS = {
  access: 'rights',
  parameters: ITEM_PARAMETERS,
  answer: WRITE_ANSWER,
  errors: [...WRITE_ERRORS, 'UNPROCESSABLE_ENTITY', 'PRECONDITION_FAILED'],
} as const;

const deleting = {
  ...handlers,
  deleteMany: thenTidy(handlers.deleteMany),
  deleteOne: thenTidy(handlers.deleteOne),
};

export const FILE_ROUTES: readonly RouteEntry[] = [
  ...itemRoutes('/files', FORMS, deleting, FILES),
  {
    method: 'POST',
    path: '/files',
    summary: 'Stores files, or creates files without content',
    ...FACTS,
    items: { form: 'create', collection: FILES },
    body: BODY,
    handle: create,
  },
  {
    method: 'PATCH',
    path: '/files/:key',
    summary: 'Updates a file, or gives it other content',
    ...FACTS,
    items: { form: 'updateOne', collection: FILES },
    body: BODY,
    handle: update,
  },
  {
    method: 'POST',
    path: '/files/import',
    summary: 'Stores a file from a URL',
    ...FACTS,
    items: { form: 'create', collection: FILES },
    body: jsonBody(importBody, 'FORM_MAX_SIZE'),
    handle: importByUrl,
  },
];
