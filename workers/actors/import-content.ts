/** Opens the file of an import: an upload in the spool, a file of `/files`, or an object of a location. */
import { jobCaller } from '#core/access/job-caller.ts';
import { reason } from '#core/base/errors/reason.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import type { Client } from '#core/database/pool.ts';
import { verifyContent, verifySize } from '#core/files/storage/verify-content.ts';
import { recordImported } from '#core/jobs/imported-objects.ts';
import type { ImportMessage } from '#core/jobs/message/import.ts';
import { type Asset, AssetService } from '#core/services/files/assets.ts';
import { importedFile } from '#core/services/files/imported-file.ts';
import { requireLocationRights } from '#core/services/location-objects.ts';
import { queryBounds } from '#core/services/query-bounds.ts';
import type { StoredFile } from '#core/transfer/file/import-file.ts';
import type { ActorContext } from '#workers/runtime/actor.ts';

/**
 * The file of `/files`, by the sender's current rights.
 * @throws ServiceError FORBIDDEN when the sender may not read it now; CONFLICT when it has other
 *   content than the request saw
 */
async function currentFile(
  of: string,
  { file, sender }: ImportMessage,
  { services, job }: ActorContext,
): Promise<Asset> {
  const { pool, schema, catalog, access, config, files: store } = services;
  const bounds = queryBounds(config);
  const assets = new AssetService({ pool, schema, store, catalog, access, bounds });
  const caller = await jobCaller(services, job.user, sender?.ip ?? null);
  const asset = await importedFile(assets, caller, of);
  const isSame = asset.bytes === file.bytes && (asset.sha256 ?? undefined) === file.sha256;
  if (isSame) return asset;
  throw new ServiceError('CONFLICT', { reason: reason('import_file_replaced') });
}

/**
 * Opens the file of an import.
 * @throws ServiceError when it cannot be read, or the sender may not read it
 */
export async function openContent(
  message: ImportMessage,
  context: ActorContext,
): Promise<StoredFile> {
  const { file } = message;
  const { spool, files } = context.services;
  const facts = { format: file.format, gzip: file.gzip === true, bytes: file.bytes };
  if (file.of !== undefined) {
    const asset = await currentFile(file.of, message, context);
    verifySize(await files.size(asset), file);
    return { ...facts, open: () => verifyContent(buffers(files.read(asset)), file) };
  }
  if (file.at !== undefined) {
    const { location } = file.at;
    const { located } = context.services;
    const caller = await jobCaller(context.services, context.job.user, message.sender?.ip ?? null);
    requireLocationRights(await context.services.access.rightsOf(caller));
    const object = await located.same(location, file.at);
    verifySize(object.bytes, file);
    return { ...facts, open: () => verifyContent(buffers(located.read(location, object)), file) };
  }
  const { id } = file;
  if (id === undefined) throw new Error('an import has an upload or a file');
  verifySize(await spool.size(id), file);
  return { ...facts, open: () => verifyContent(spool.read(id), file) };
}

async function* buffers(content: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const { buffer, byteOffset, length } of content) {
    yield Buffer.from(buffer, byteOffset, length);
  }
}

/**
 * Records, in the transaction of the import, that an object is imported.
 * @throws ServiceError CONFLICT when it must be imported once and another import was first
 */
export async function recordObject(
  { collection, file: { at } }: ImportMessage,
  client: Client,
  { services, job }: ActorContext,
): Promise<void> {
  if (at === undefined) return;
  const isFirst = await recordImported(client, services.schema, { ...at, collection }, job.id);
  if (isFirst || at.once !== true) return;
  throw new ServiceError('CONFLICT', { reason: reason('import_object_imported') });
}

/** Removes the upload of an import; other files remain. */
export async function discardContent(
  { file }: ImportMessage,
  { services, log }: ActorContext,
): Promise<void> {
  if (file.id === undefined) return;
  await services.spool
    .remove(file.id)
    .catch((error) => log.warn({ err: error }, 'could not remove an imported file'));
}
