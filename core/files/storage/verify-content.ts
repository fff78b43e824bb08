/** Compares content from the storage with the recorded properties of the stored content. */

import { createHash } from 'node:crypto';
import { reason } from '#core/base/errors/reason.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';

/** The recorded properties of a file. */
export interface KnownContent {
  readonly bytes: number;
  /** SHA-256 in hexadecimal; undefined when it was not recorded. */
  readonly sha256?: string | undefined;
}

/** The storage returns different bytes than were stored. */
export class DamagedFile extends ServiceError {
  constructor(what: string) {
    const why = reason('storage_returns_other_file', { difference: what });
    super('SERVICE_UNAVAILABLE', { service: 'storage', reason: why });
  }
}

/** @throws {DamagedFile} when the storage has more or fewer bytes */
export function verifySize(bytes: number, known: KnownContent): void {
  if (bytes === known.bytes) return;
  throw new DamagedFile(`it has ${bytes} bytes instead of ${known.bytes}.`);
}

/**
 * Passes the content on as it arrives. It ends only when the content was complete and unchanged, so
 * that no reader mistakes a part for the whole file.
 * @throws {DamagedFile} in place of the end
 */
export async function* verifyContent(
  content: AsyncIterable<Buffer>,
  known: KnownContent,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of content) {
    bytes += chunk.length;
    hash.update(chunk);
    yield chunk;
  }
  verifySize(bytes, known);
  if (known.sha256 === undefined || hash.digest('hex') === known.sha256) return;
  throw new DamagedFile('its SHA-256 is another one.');
}
