/**
 * Files that arrive in pieces, in S3: pieces become the parts of one multipart upload. S3 requires
 * 5 MiB for every part except the last. So a small piece waits in a separate object, and is
 * prepended to the next piece. Such an object is never overwritten, because a disconnected process
 * may still write after another one has continued. For the same reason a process that takes over
 * skips the next part number.
 */
import { randomBytes } from 'node:crypto';
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import * as v from 'valibot';
import { reason } from '#core/base/errors/reason.ts';
import { unavailable } from '#core/base/errors/service-error.ts';
import { isMissing, type S3Bucket } from './s3-bucket.ts';
import { downloadFromS3 } from './s3-download.ts';
import { md5 } from './s3-upload.ts';
import { type Piece, type PieceState, StorageUnreachable } from './storage.ts';

/** S3 accepts smaller parts only as the last one. */
const LEAST_PART = 5 * 1024 * 1024;

const pieces = v.object({
  /** Null before the first part. */
  uploadId: v.nullable(v.string()),
  /** Entity tags of the parts by their numbers, which begin with 1; null for a skipped number. */
  parts: v.array(v.nullable(v.string())),
  /** Bytes in the object beside the upload. */
  tail: v.number(),
  /** The suffix of that object's name after the file name. */
  suffix: v.optional(v.string(), '.tail'),
  /**
   * The suffix of the previous such object, which can be removed when this state is recorded; null
   * without one.
   */
  former: v.optional(v.nullable(v.string()), null),
});
type Pieces = v.InferOutput<typeof pieces>;

const NOTHING: Pieces = { uploadId: null, parts: [], tail: 0, suffix: '.tail', former: null };

function parsed(state: PieceState | null): Pieces {
  return state === null ? NOTHING : v.parse(pieces, JSON.parse(state));
}

/** The waiting bytes followed by the new ones. */
async function withTail(
  bucket: S3Bucket,
  id: string,
  { tail, suffix }: Pieces,
  content: Uint8Array,
): Promise<Uint8Array> {
  if (tail === 0) return content;
  const waiting: Uint8Array[] = [];
  const range = { start: 0, end: tail - 1 };
  try {
    for await (const piece of downloadFromS3(bucket, id + suffix, range)) waiting.push(piece);
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw new StorageUnreachable('Somebody else has gone on with the file.', error);
  }
  return Buffer.concat([...waiting, content]);
}

async function put(
  bucket: S3Bucket,
  object: ReturnType<S3Bucket['object']>,
  content: Uint8Array,
): Promise<void> {
  const body = { Body: content, ContentLength: content.length, ContentMD5: md5(content) };
  const command = new PutObjectCommand({ ...object, ...body });
  await bucket.request((client, options) => client.send(command, options));
}

async function begun(bucket: S3Bucket, id: string, { uploadId }: Pieces): Promise<string> {
  if (uploadId !== null) return uploadId;
  const command = new CreateMultipartUploadCommand(bucket.object(id));
  const { UploadId } = await bucket.request((client, options) => client.send(command, options));
  if (UploadId === undefined) throw new StorageUnreachable('It begins no file.');
  return UploadId;
}

/** The suffix of the object that is obsolete once a newer state exists. */
function formerOf({ tail, suffix }: Pieces): string | null {
  return tail === 0 ? null : suffix;
}

async function removeObject(bucket: S3Bucket, id: string): Promise<void> {
  const command = new DeleteObjectCommand(bucket.object(id));
  await bucket
    .request((client, options) => client.send(command, options))
    .catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
}

async function withPart(
  bucket: S3Bucket,
  id: string,
  known: Pieces,
  content: Uint8Array,
): Promise<Pieces & { readonly uploadId: string }> {
  const uploadId = await begun(bucket, id, known);
  const command = new UploadPartCommand({
    ...bucket.object(id),
    UploadId: uploadId,
    PartNumber: known.parts.length + 1,
    ...{ Body: content, ContentLength: content.length, ContentMD5: md5(content) },
  });
  const { ETag = '' } = await bucket.request((client, options) => client.send(command, options));
  return { ...known, uploadId, parts: [...known.parts, ETag], tail: 0, former: formerOf(known) };
}

/** The storage's `append`. */
export async function appendToS3(
  bucket: S3Bucket,
  id: string,
  state: PieceState | null,
  { content }: Piece,
): Promise<PieceState> {
  const known = parsed(state);
  const all = await withTail(bucket, id, known, content);
  // Objects that cannot be removed now are removed with the rest at the end.
  if (known.former !== null) await removeObject(bucket, id + known.former).catch(() => undefined);
  if (all.length >= LEAST_PART) return JSON.stringify(await withPart(bucket, id, known, all));
  const suffix = `.tail-${randomBytes(8).toString('hex')}`;
  await put(bucket, bucket.object(id + suffix), all);
  return JSON.stringify({ ...known, tail: all.length, suffix, former: formerOf(known) });
}

/** The size of a file in bytes; null when it does not exist. */
async function sizeOf(bucket: S3Bucket, id: string): Promise<number | null> {
  const command = new HeadObjectCommand(bucket.object(id));
  try {
    const { ContentLength = 0 } = await bucket.request((client, options) =>
      client.send(command, options),
    );
    return ContentLength;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

async function complete(bucket: S3Bucket, id: string, known: Pieces): Promise<void> {
  const { uploadId, parts } = known;
  if (uploadId === null) throw new StorageUnreachable('It has lost the file.');
  const command = new CompleteMultipartUploadCommand({
    ...bucket.object(id),
    UploadId: uploadId,
    MultipartUpload: {
      Parts: parts.flatMap((ETag, n) => (ETag === null ? [] : [{ ETag, PartNumber: n + 1 }])),
    },
  });
  await bucket.request((client, options) => client.send(command, options));
}

/** The storage's `takenOver`. */
export function takenOverInS3(state: PieceState | null): PieceState | null {
  const known = parsed(state);
  if (known.uploadId === null) return state;
  return JSON.stringify({ ...known, parts: [...known.parts, null] });
}

/** The storage's `finish`. */
export async function finishInS3(
  bucket: S3Bucket,
  id: string,
  state: PieceState | null,
  bytes: number,
): Promise<void> {
  if ((await sizeOf(bucket, id)) === bytes) return;
  const known = parsed(state);
  const last = await withTail(bucket, id, known, new Uint8Array(0));
  if (known.uploadId === null) await put(bucket, bucket.object(id), last);
  else {
    const whole = last.length === 0 ? known : await withPart(bucket, id, known, last);
    await complete(bucket, id, whole);
  }
  const stored = await sizeOf(bucket, id);
  if (stored !== bytes) {
    throw unavailable(
      'storage',
      reason('storage_content_length_differs', { stored: stored ?? 'no', bytes }),
    );
  }
  await removeTails(bucket, id);
}

/** Removes the waiting bytes beside an upload, regardless of the process that wrote them. */
export async function removeTails(bucket: S3Bucket, id: string): Promise<void> {
  const { Bucket, Key } = bucket.object(`${id}.tail`);
  const command = new ListObjectsV2Command({ Bucket, Prefix: Key });
  const page = await bucket.request((client, options) => client.send(command, options));
  for (const { Key: key = '' } of page.Contents ?? []) await removeObject(bucket, bucket.idOf(key));
}
