/** Resumable uploads (tus 1.0). */
import { ServiceError } from '#core/base/errors/service-error.ts';
import { FILES } from '#core/services/files/assets.ts';
import { type CallHandler, pathParameter } from './call.ts';
import { filesOf } from './file.ts';
import { NO_CONTENT_ANSWER, type RouteEntry, WRITE_ERRORS } from './route.ts';
import { tusCapabilities } from './tus-capabilities.ts';

const PATH = '/files/tus';
const handle: CallHandler = async (call) => {
  const { config, resumables, files } = call.services;
  const { method, path } = call.request;
  if (!config.TUS_ENABLED) throw new ServiceError('ROUTE_NOT_FOUND', { path });
  // Permissions are checked before the protocol.
  if (method === 'POST') await files.admit(filesOf(call), 'update');
  else await resumables.admit(call.caller, pathParameter(call, 'id'));
  if (method === 'GET') throw new ServiceError('ROUTE_NOT_FOUND', { path });
  // Loading the library takes 0.1 s, so it is loaded with the first upload.
  const { answerTus } = await import('./tus-server.ts');
  return await answerTus(call, PATH);
};

const BYTES = 'application/offset+octet-stream';

const FACTS = {
  access: 'rights',
  body: null,
  handle,
  options: tusCapabilities,
  needs: [
    { action: 'create', collection: FILES },
    { action: 'update', collection: FILES },
  ],
  errors: [
    ...WRITE_ERRORS,
    'CONFLICT',
    'ROUTE_NOT_FOUND',
    'CONTENT_TOO_LARGE',
    'PRECONDITION_FAILED',
    'UNSUPPORTED_MEDIA_TYPE',
  ],
} as const;

export const TUS_ROUTES: readonly RouteEntry[] = [
  {
    ...FACTS,
    method: 'POST',
    path: PATH,
    summary: 'Begins an upload that can be resumed (tus)',
    headers: ['Tus-Resumable', 'Upload-Length', 'Upload-Metadata'],
    bytes: BYTES,
    answer: { ...NO_CONTENT_ANSWER, statuses: [201] },
  },
  {
    ...FACTS,
    method: 'GET',
    path: `${PATH}/:id`,
    summary: 'Tells by HEAD how far an upload has come (tus)',
    headers: ['Tus-Resumable'],
    headOnly: true,
    answer: { ...NO_CONTENT_ANSWER, statuses: [200] },
  },
  {
    ...FACTS,
    method: 'PATCH',
    path: `${PATH}/:id`,
    summary: 'Adds to an upload (tus)',
    headers: ['Tus-Resumable', 'Upload-Offset'],
    bytes: BYTES,
    answer: NO_CONTENT_ANSWER,
  },
  {
    ...FACTS,
    method: 'DELETE',
    path: `${PATH}/:id`,
    summary: 'Ends an upload and removes what has arrived (tus)',
    headers: ['Tus-Resumable'],
    answer: NO_CONTENT_ANSWER,
  },
];
