/** Files that the server fetches for a client, for REST and GraphQL. */
import { invalidPayload } from '#core/errors/service-error.ts';
import type { Item } from '#core/mutation/payload.ts';
import { fetchOutside } from '#core/outbound/fetch-outside.ts';
import type { IncomingUpload } from '#core/services/files/uploads.ts';
import type { Call } from './call.ts';

/** What is to be fetched. */
export interface FileUrl {
  readonly url: string;
  /** The fields of its row. */
  readonly item: Item;
  /** Types that are wanted; undefined for all that are allowed. */
  readonly only?: readonly string[] | undefined;
}

/**
 * The file of a URL, fetched when its turn comes.
 * @throws ServiceError INVALID_PAYLOAD for fields that are no plain values, and what fetching throws
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
    throw invalidPayload(`"data.${related[0]}" must be a plain value.`, { field: related[0] });
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
