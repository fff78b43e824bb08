/** `POST /utils/import/:collection`: a file becomes a job, and the job's end the answer. */
import { ServiceError, serviceErrorsOf } from '#core/errors/service-error.ts';
import type { ImportFormat } from '#core/jobs/message/import.ts';
import { firstFile } from '#edge/http/multipart.ts';
import type { Response } from '#edge/http/response.ts';
import type { Router } from '#edge/http/router.ts';
import type { EdgeServices } from '#edge/services.ts';
import { type Call, type CallHandler, param, routesOf } from './call.ts';

/** Media types of files, and how they are read. */
const FORMATS: ReadonlyMap<string, ImportFormat> = new Map([
  ['application/json', 'json'],
  ['text/csv', 'csv'],
  ['application/vnd.ms-excel', 'csv'],
]);

/** What a multipart body holds beside the file is small; a longer one holds a file too large. */
const ENVELOPE_BYTES = 65_536;

function formatOf(mimeType: string): ImportFormat {
  const format = FORMATS.get(mimeType);
  if (format !== undefined) return format;
  const reason = `A file must be ${[...FORMATS.keys()].join(', ')}.`;
  throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', { mediaType: mimeType, where: 'file', reason });
}

/** Refuses by the announced length, before anything is read. */
function checkSize(call: Call): void {
  const { IMPORT_MAX_SIZE: limit } = call.services.config;
  const { size } = call.request.body;
  if (limit === undefined || size === undefined || size <= limit + ENVELOPE_BYTES) return;
  throw new ServiceError('CONTENT_TOO_LARGE', { limit, variable: 'IMPORT_MAX_SIZE' });
}

/** Whether the client wants its answer at once (RFC 7240, section 4.1). */
function wantsAsync(call: Call): boolean {
  const background = call.parameters.background;
  if (background !== undefined && background !== 'false') return true;
  const preferences = (call.request.header('prefer') ?? '').split(',');
  return preferences.some((entry) => /^\s*respond-async\s*(;|$)/i.test(entry));
}

function locationOf(id: string): string {
  return `/jobs/${id}`;
}

async function accepted(call: Call, id: string): Promise<Response> {
  const job = await call.services.jobs.get(id, call.caller);
  return {
    status: 202,
    headers: { Location: locationOf(id), 'Preference-Applied': 'respond-async' },
    body: JSON.stringify({ data: job }),
  };
}

const importFile: CallHandler = async (call) => {
  const { config, imports, jobs } = call.services;
  const destination = await imports.authorize(call.caller, param(call, 'collection'));
  checkSize(call);
  const file = await firstFile(call.request);
  const upload = { format: formatOf(file.mimeType), content: file.stream };
  const id = await imports.accept(call.caller, destination, upload);
  if (wantsAsync(call)) return accepted(call, id);
  const job = await jobs.wait(id, config.JOB_WAIT_LIMIT, call.request.signal);
  if (job === null) return { status: 202, headers: { Location: locationOf(id) } };
  if (job.state === 'completed') return { status: 200, headers: { Location: locationOf(id) } };
  if (job.state === 'cancelled') {
    throw new ServiceError('UNPROCESSABLE_ENTITY', {
      reason: 'The import was cancelled.',
      job: id,
    });
  }
  throw serviceErrorsOf(job.error ?? []);
};

export function addImportRoutes(router: Router, services: EdgeServices): void {
  router.add('POST', '/utils/import/:collection', routesOf(services)(importFile));
}
