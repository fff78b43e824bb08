/** Stores files in a bucket of S3, or of a server with a compatible API. */
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  ListObjectsV2Command,
  type MultipartUpload,
} from '@aws-sdk/client-s3';
import type { PartBuffers } from './part-buffers.ts';
import { isMissing, type S3Bucket } from './s3-bucket.ts';
import { downloadFromS3 } from './s3-download.ts';
import { appendToS3, finishInS3, removeTails, takenOverInS3 } from './s3-pieces.ts';
import { uploadToS3 } from './s3-upload.ts';
import {
  assertFileName,
  type ByteRange,
  fileMissingError,
  isFileName,
  type ListedFile,
  type ShownFile,
  type Storage,
  StorageUnreachable,
} from './storage.ts';

/** The process of an upload this old has ended, because no upload takes so long. */
const LEFT_AFTER_MS = 86_400_000;

export interface S3StorageOptions {
  readonly bucket: S3Bucket;
  /** Shared by all uploads of the process. */
  readonly buffers: PartBuffers;
  /** Milliseconds after which an unfinished upload is removed. */
  readonly leftAfter?: number;
}

class S3Storage implements Storage {
  readonly #bucket: S3Bucket;
  readonly #buffers: PartBuffers;
  readonly #leftAfter: number;

  constructor({ bucket, buffers, leftAfter = LEFT_AFTER_MS }: S3StorageOptions) {
    this.#bucket = bucket;
    this.#buffers = buffers;
    this.#leftAfter = leftAfter;
  }

  async identity(): Promise<string> {
    return this.#bucket.identity;
  }

  async check(): Promise<void> {
    const { Bucket } = this.#bucket.all;
    const command = new HeadBucketCommand({ Bucket });
    await this.#bucket
      .request((client, options) => client.send(command, options))
      .catch((error: unknown) => {
        throw isMissing(error)
          ? new StorageUnreachable('Its bucket does not exist.', error)
          : error;
      });
  }

  /** A bucket has no measurable size limit. */
  async free(): Promise<null> {
    return null;
  }

  async write(...[id, content, limit]: Parameters<Storage['write']>) {
    assertFileName(id);
    return await uploadToS3(this.#bucket, this.#buffers, { id, content, limit });
  }

  async append(...[id, state, piece]: Parameters<Storage['append']>) {
    assertFileName(id);
    return await appendToS3(this.#bucket, id, state, piece);
  }

  takenOver(...[state]: Parameters<Storage['takenOver']>) {
    return takenOverInS3(state);
  }

  async finish(...[id, state, bytes]: Parameters<Storage['finish']>) {
    assertFileName(id);
    await finishInS3(this.#bucket, id, state, bytes);
  }

  read(...[id, range]: Parameters<Storage['read']>) {
    assertFileName(id);
    return downloadFromS3(this.#bucket, id, range);
  }

  lend(id: string, range?: ByteRange): AsyncIterable<Uint8Array> {
    return this.read(id, range);
  }

  async url(id: string, shown: ShownFile): Promise<string | null> {
    assertFileName(id);
    return await this.#bucket.url(id, shown);
  }

  localPath(): null {
    return null;
  }

  async size(id: string): Promise<number> {
    assertFileName(id);
    const command = new HeadObjectCommand(this.#bucket.object(id));
    try {
      const { ContentLength } = await this.#bucket.request((client, options) =>
        client.send(command, options),
      );
      return ContentLength ?? 0;
    } catch (error) {
      if (!isMissing(error)) throw error;
      throw fileMissingError(error);
    }
  }

  async remove(id: string): Promise<void> {
    assertFileName(id);
    const command = new DeleteObjectCommand(this.#bucket.object(id));
    await this.#bucket
      .request((client, options) => client.send(command, options))
      .catch((error: unknown) => {
        if (!isMissing(error)) throw error;
      });
    await removeTails(this.#bucket, id);
    for await (const upload of this.#unfinished()) {
      if (upload.Key === this.#bucket.object(id).Key) await this.#abort(upload);
    }
  }

  async sweep(): Promise<number> {
    const before = Date.now() - this.#leftAfter;
    let removed = 0;
    for await (const upload of this.#unfinished()) {
      if ((upload.Initiated?.getTime() ?? Date.now()) > before) continue;
      await this.#abort(upload);
      removed += 1;
    }
    return removed;
  }

  async list(): Promise<ListedFile[]> {
    const found: ListedFile[] = [];
    for await (const { Key = '', Initiated: modified } of this.#unfinished()) {
      const id = this.#bucket.idOf(Key);
      if (isFileName(id) && modified !== undefined) found.push({ id, modified });
    }
    let token: string | undefined;
    do {
      const command = new ListObjectsV2Command({
        ...this.#bucket.all,
        ...(token === undefined ? {} : { ContinuationToken: token }),
      });
      const page = await this.#bucket.request((client, options) => client.send(command, options));
      for (const { Key = '', LastModified: modified } of page.Contents ?? []) {
        const id = this.#bucket.idOf(Key);
        if (isFileName(id) && modified !== undefined) found.push({ id, modified });
      }
      token = page.NextContinuationToken;
    } while (token !== undefined);
    return found;
  }

  async *#unfinished(): AsyncGenerator<MultipartUpload, void> {
    let KeyMarker: string | undefined;
    let UploadIdMarker: string | undefined;
    do {
      const command: ListMultipartUploadsCommand = new ListMultipartUploadsCommand({
        ...this.#bucket.all,
        KeyMarker,
        UploadIdMarker,
      });
      const page: ListMultipartUploadsCommandOutput = await this.#bucket.request(
        (client, options) => client.send(command, options),
      );
      yield* page.Uploads ?? [];
      const isLast = page.IsTruncated !== true;
      KeyMarker = isLast ? undefined : page.NextKeyMarker;
      UploadIdMarker = isLast ? undefined : page.NextUploadIdMarker;
    } while (KeyMarker !== undefined);
  }

  async #abort({ Key, UploadId }: MultipartUpload): Promise<void> {
    const { Bucket } = this.#bucket.all;
    const command = new AbortMultipartUploadCommand({ Bucket, Key, UploadId });
    await this.#bucket
      .request((client, options) => client.send(command, options))
      .catch((error: unknown) => {
        // The upload is finished, or another process has removed it.
        if (!isMissing(error)) throw error;
      });
  }
}

/** Opens the storage of a bucket; no request is sent before the first use. */
export function openS3Storage(options: S3StorageOptions): Storage {
  return new S3Storage(options);
}
