/**
 * Reads a file, or a part of it, from S3 as fast as its reader consumes it. A broken connection is
 * replaced, and reading continues at the same offset.
 */
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { GetObjectCommand, type GetObjectCommandOutput } from '@aws-sdk/client-s3';
import { reason } from '#core/base/errors/reason.ts';
import { unavailable } from '#core/base/errors/service-error.ts';
import type { S3Bucket } from './s3-bucket.ts';
import { type ByteRange, ReplacedObject, StorageUnreachable } from './storage.ts';

/** Maximum consecutive connections that yield no data. */
const MOST_FAILURES = 3;
const PAUSE_MS = 200;
/** Bytes that are read ahead of the reader. */
const AHEAD = 256 * 1024;
const RANGE_NOT_SATISFIABLE = 'InvalidRange';
const PRECONDITION_FAILED = 'PreconditionFailed';

/** The offset of the first byte of a response, and the offset after its last byte. */
interface Extent {
  readonly from: number;
  readonly to: number;
}

/**
 * @throws ServiceError SERVICE_UNAVAILABLE when the server sends a different range than requested
 */
function extentOf(answer: GetObjectCommandOutput, at: number): Extent {
  const { ContentRange, ContentLength = 0 } = answer;
  const match = /^bytes (\d+)-(\d+)\//.exec(ContentRange ?? '');
  const from = match === null ? 0 : Number(match[1]);
  const to = match === null ? ContentLength : Number(match[2]) + 1;
  if (from === at && to - from === ContentLength) return { from, to };
  throw unavailable('storage', reason('storage_bytes_differ'));
}

function isBeyondEnd(error: unknown): boolean {
  const cause = error instanceof StorageUnreachable ? error.cause : null;
  return cause instanceof Error && cause.name === RANGE_NOT_SATISFIABLE;
}

function bodyOf({ Body: body }: GetObjectCommandOutput): AsyncIterable<Uint8Array> {
  if (body instanceof Readable) return body;
  throw new StorageUnreachable('It sends no file.');
}

function isReplaced(error: unknown): boolean {
  const cause = error instanceof StorageUnreachable ? error.cause : null;
  return cause instanceof Error && cause.name === PRECONDITION_FAILED;
}

async function* download(
  bucket: S3Bucket,
  id: string,
  range: ByteRange | undefined,
  expected?: string,
) {
  let at = range?.start ?? 0;
  const last = range?.end === undefined ? '' : String(range.end);
  let etag = expected;
  let failures = 0;
  for (;;) {
    const command = new GetObjectCommand({
      ...bucket.object(id),
      ...(at === 0 && last === '' ? {} : { Range: `bytes=${at}-${last}` }),
      ...(etag === undefined ? {} : { IfMatch: etag }),
    });
    const answer = await bucket
      .request((client, options) => client.send(command, options))
      .catch((error: unknown) => {
        if (isBeyondEnd(error)) return null;
        if (expected !== undefined && isReplaced(error)) throw new ReplacedObject();
        throw error;
      });
    if (answer === null) return;
    etag ??= answer.ETag;
    if (expected !== undefined && answer.ETag !== expected) throw new ReplacedObject();
    const extent = extentOf(answer, at);
    // Some servers ignore the end of a range.
    const to = Math.min(extent.to, (range?.end ?? Number.POSITIVE_INFINITY) + 1);
    let broken: unknown = null;
    try {
      for await (const piece of bodyOf(answer)) {
        const some = piece.subarray(0, to - at);
        at += some.length;
        failures = 0;
        if (some.length > 0) yield some;
        if (at === to) return;
      }
    } catch (error) {
      broken = error;
    }
    if (at === to) return;
    failures += 1;
    if (failures === MOST_FAILURES) throw new StorageUnreachable('It breaks off a file.', broken);
    await delay(PAUSE_MS * failures);
  }
}

/**
 * The content as a stream; fails with ENOENT for a missing file.
 * @param etag the expected content; the stream fails with {@link ReplacedObject} for another one
 */
export function downloadFromS3(
  bucket: S3Bucket,
  id: string,
  range?: ByteRange,
  etag?: string,
): Readable {
  return Readable.from(download(bucket, id, range, etag), {
    objectMode: false,
    highWaterMark: AHEAD,
  });
}
