/** A bucket of S3, or a part of it, as a location of imports. */
import { HeadObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { isMissing, type S3Bucket } from '#core/files/storage/s3-bucket.ts';
import { downloadFromS3 } from '#core/files/storage/s3-download.ts';
import { type ByteRange, StorageUnreachable } from '#core/files/storage/storage.ts';
import { isHidden, type LocatedObject, type ObjectLocation } from './object-location.ts';

/** The etag of an answer. @throws {StorageUnreachable} for a server without etags */
function etagOf(text: string | undefined): string {
  if (text !== undefined && text !== '' && text.length <= 255) return text;
  throw new StorageUnreachable('It tells no ETag of an object.');
}

/** The key in a list; servers encode it, because XML cannot have all characters. */
function decoded(key: string, isEncoded: boolean): string {
  if (!isEncoded) return key;
  try {
    return decodeURIComponent(key.replaceAll('+', ' '));
  } catch {
    return key;
  }
}

class BucketLocation implements ObjectLocation {
  readonly #bucket: S3Bucket;

  constructor(bucket: S3Bucket) {
    this.#bucket = bucket;
  }

  async find(key: string): Promise<LocatedObject | null> {
    const command = new HeadObjectCommand(this.#bucket.object(key));
    try {
      const found = await this.#bucket.request((client, options) => client.send(command, options));
      return { key, bytes: found.ContentLength ?? 0, etag: etagOf(found.ETag) };
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  read({ key, etag }: LocatedObject, range?: ByteRange): AsyncIterable<Uint8Array> {
    return downloadFromS3(this.#bucket, key, range, etag);
  }

  async *list(prefix: string, after: string): AsyncGenerator<LocatedObject, void> {
    const { Bucket, Prefix } = this.#bucket.all;
    let token: string | undefined;
    do {
      const command = new ListObjectsV2Command({
        ...{ Bucket, Prefix: Prefix + prefix, EncodingType: 'url' },
        ...(after === '' ? {} : { StartAfter: Prefix + after }),
        ...(token === undefined ? {} : { ContinuationToken: token }),
      });
      const page = await this.#bucket.request((client, options) => client.send(command, options));
      const isEncoded = page.EncodingType === 'url';
      for (const { Key = '', Size: bytes = 0, ETag } of page.Contents ?? []) {
        const key = this.#bucket.idOf(decoded(Key, isEncoded));
        // A key with a slash at its end stands for a folder.
        if (key.endsWith('/') || key === '' || isHidden(key)) continue;
        yield { key, bytes, etag: etagOf(ETag) };
      }
      token = page.NextContinuationToken;
    } while (token !== undefined);
  }
}

/** Opens a bucket as a location; no request is sent before the first use. */
export function openBucketLocation(bucket: S3Bucket): ObjectLocation {
  return new BucketLocation(bucket);
}
