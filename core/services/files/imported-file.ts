/** The file of `/files` that an import reads, judged by the caller's right to read it. */
import type { Caller } from '#core/access/grants.ts';
import { reason } from '#core/base/errors/reason.ts';
import { forbidden, ServiceError } from '#core/base/errors/service-error.ts';
import type { Asset, AssetService } from './assets.ts';

/**
 * The file of a key, for an import.
 * @throws ServiceError FORBIDDEN, with the same reason for a missing and a hidden file
 */
export async function importedFile(
  assets: Pick<AssetService, 'find'>,
  caller: Caller,
  id: string,
): Promise<Asset> {
  try {
    return await assets.find(caller, id);
  } catch (error) {
    const isUnknown =
      error instanceof ServiceError &&
      error.code === 'FORBIDDEN' &&
      error.details.reason === undefined;
    throw isUnknown ? forbidden(reason('import_file_unreadable')) : error;
  }
}
