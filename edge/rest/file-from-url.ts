/** Files that the server downloads for a client, for REST and GraphQL. */

import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload } from '#core/base/errors/service-error.ts';
import { fetchOutside } from '#core/files/outbound/fetch-outside.ts';
import type { IncomingUpload } from '#core/services/files/uploads.ts';
import type { Item } from '#core/write/payload.ts';
import type { Call } from './call.ts';

/** The file to download. */
export interface FileUrl {
  readonly url: string;
  /** The field values of the file's row. */
  readonly item: Item;
  /** Accepted media types; undefined for all that the configuration allows. */
  readonly only?: readonly string[] | undefined;
}

/**
 * The file of a URL, downloaded on demand.
 * @throws ServiceError INVALID_PAYLOAD for fields that are not plain values, and the errors of the
 *   download
 */
export async function* fileFrom(
  call: Call,
  { url, item, only }: FileUrl,
): AsyncGenerator<IncomingUpload> {
  const related = Object.entries(item).find(
    ([name, value]) =>
      typeof value === 'object' && value !== null && name !== 'tags' && name !== 'metadata',
  );
  if (related !== undefined) {
    throw invalidPayload(reason('import_data_plain_value_expected', { name: related[0] }), {
      field: related[0],
    });
  }
  const { config } = call.services;
  const { filename, type, content, close } = await fetchOutside(url, {
    ...{ denied: config.IMPORT_IP_DENY_LIST, allowed: config.IMPORT_IP_ALLOW_LIST },
    maxBytes: config.FILES_MAX_UPLOAD_SIZE,
    timeout: config.IMPORT_URL_TIMEOUT,
    signal: call.request.signal,
  });
  try {
    yield { item, filename, type, only, content };
  } finally {
    close();
  }
}
