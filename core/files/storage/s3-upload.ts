/**
 * Writes a file to S3 while it arrives: part by part, or in one request when it is no larger than a
 * part. The server publishes a file only when it is complete.
 */
import { createHash } from 'node:crypto';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { reason } from '#core/base/errors/reason.ts';
import { unavailable } from '#core/base/errors/service-error.ts';
import { type PartBuffer, type PartBuffers, tooBusy } from './part-buffers.ts';
import { isMissing, type S3Bucket } from './s3-bucket.ts';
import { type SizeLimit, StorageUnreachable, type Stored, tooLarge } from './storage.ts';

/** Maximum parts of one file in S3. */
const MOST_PARTS = 10_000;

/** The digest by which the server verifies the received content. */
export function md5(content: Uint8Array): string {
  return createHash('md5').update(content).digest('base64');
}

/** One file that is being uploaded. */
class S3Upload {
  readonly #bucket: S3Bucket;
  readonly #buffers: PartBuffers;
  readonly #object: { readonly Bucket: string; readonly Key: string };
  readonly #parts: { readonly PartNumber: number; readonly ETag: string | undefined }[] = [];
  #uploadId: string | undefined;
  #buffer: PartBuffer | null = null;
  #filled = 0;
  /** The part that is being sent while the next one arrives. */
  #sending: Promise<void> = Promise.resolve();
  #failure: unknown = null;
  /** The server has received the request to publish the file. */
  #isShown = false;

  constructor(bucket: S3Bucket, id: string, buffers: PartBuffers) {
    this.#bucket = bucket;
    this.#buffers = buffers;
    this.#object = bucket.object(id);
  }

  /** Accepts a piece of the content; resolves when the next one may follow. */
  async take(piece: Uint8Array): Promise<void> {
    if (this.#buffer?.isDue()) throw tooBusy();
    const { size } = this.#buffers;
    for (let from = 0; from < piece.length; ) {
      if (this.#failure !== null) throw this.#failure;
      this.#buffer ??= await this.#buffers.acquire();
      const some = piece.subarray(from, from + size - this.#filled);
      this.#buffer.bytes.set(some, this.#filled);
      this.#filled += some.length;
      from += some.length;
      if (this.#filled === size) await this.#sendPart(this.#buffer);
    }
  }

  /** Sends the rest, and completes the file from its parts. */
  async finish(): Promise<void> {
    if (this.#uploadId === undefined) return await this.#put();
    if (this.#buffer !== null) await this.#sendPart(this.#buffer);
    await this.#sending;
    this.#isShown = true;
    const command = new CompleteMultipartUploadCommand({
      ...this.#object,
      UploadId: this.#uploadId,
      MultipartUpload: { Parts: this.#parts },
    });
    try {
      await this.#bucket.request((client, options) => client.send(command, options));
    } catch (error) {
      // The response to an earlier attempt was lost: the upload is already a file, or `verify`
      // fails.
      if (!isMissing(error)) throw error;
    }
  }

  /**
   * @throws ServiceError SERVICE_UNAVAILABLE when the server has stored different content than it
   *   received
   */
  async verify(bytes: number): Promise<void> {
    const command = new HeadObjectCommand(this.#object);
    const { ContentLength } = await this.#bucket.request((client, options) =>
      client.send(command, options),
    );
    if (ContentLength === bytes) return;
    const why = reason('storage_length_differs', { stored: ContentLength ?? 'no', bytes });
    throw unavailable('storage', why);
  }

  /** Removes all data of the file; a later sweep removes the data that cannot be removed now. */
  async undo(): Promise<void> {
    await this.#sending.catch(() => undefined);
    const [object, UploadId] = [this.#object, this.#uploadId];
    if (UploadId !== undefined) {
      const abort = new AbortMultipartUploadCommand({ ...object, UploadId });
      await this.#bucket
        .request((client, options) => client.send(abort, options))
        .catch(() => undefined);
    }
    if (!this.#isShown) return;
    const remove = new DeleteObjectCommand(object);
    await this.#bucket
      .request((client, options) => client.send(remove, options))
      .catch(() => undefined);
  }

  /** Releases its memory. */
  release(): void {
    this.#buffer?.release();
    this.#buffer = null;
  }

  /** Begins to send a full part, or the last one, after the previous part has arrived. */
  async #sendPart(buffer: PartBuffer): Promise<void> {
    await this.#sending;
    this.#uploadId ??= await this.#begin();
    const number = this.#parts.length + 1;
    if (number > MOST_PARTS) {
      throw tooLarge({ bytes: MOST_PARTS * this.#buffers.size, variable: 'STORAGE_PART_SIZE' });
    }
    const content = buffer.bytes.subarray(0, this.#filled);
    this.#buffer = null;
    this.#filled = 0;
    this.#sending = this.#send(number, content).finally(() => buffer.release());
    this.#sending.catch((error: unknown) => {
      this.#failure = error;
    });
  }

  async #begin(): Promise<string | undefined> {
    const command = new CreateMultipartUploadCommand(this.#object);
    const { UploadId } = await this.#bucket.request((client, options) =>
      client.send(command, options),
    );
    if (UploadId === undefined) throw new StorageUnreachable('It begins no file.');
    return UploadId;
  }

  async #send(number: number, content: Buffer): Promise<void> {
    const command = new UploadPartCommand({
      ...this.#object,
      UploadId: this.#uploadId,
      PartNumber: number,
      Body: content,
      ContentLength: content.length,
      ContentMD5: md5(content),
    });
    const { ETag } = await this.#bucket.request((client, options) => client.send(command, options));
    this.#parts.push({ PartNumber: number, ETag });
  }

  async #put(): Promise<void> {
    const content = this.#buffer?.bytes.subarray(0, this.#filled) ?? Buffer.alloc(0);
    this.#isShown = true;
    const command = new PutObjectCommand({
      ...this.#object,
      Body: content,
      ContentLength: content.length,
      ContentMD5: md5(content),
    });
    await this.#bucket.request((client, options) => client.send(command, options));
  }
}

/** Writes one file; no data remains when this rejects. */
export async function uploadToS3(
  bucket: S3Bucket,
  buffers: PartBuffers,
  {
    id,
    content,
    limit,
  }: {
    readonly id: string;
    readonly content: AsyncIterable<Uint8Array>;
    readonly limit: SizeLimit | undefined;
  },
): Promise<Stored> {
  const upload = new S3Upload(bucket, id, buffers);
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const piece of content) {
      bytes += piece.length;
      if (limit !== undefined && bytes > limit.bytes) throw tooLarge(limit);
      hash.update(piece);
      await upload.take(piece);
    }
    await upload.finish();
    await upload.verify(bytes);
  } catch (error) {
    upload.release();
    await upload.undo();
    // Another client has removed the bucket or the upload.
    throw isMissing(error) ? new StorageUnreachable('It has lost the file.', error) : error;
  } finally {
    upload.release();
  }
  return { bytes, sha256: hash.digest('hex') };
}
