/** The message of a job that measures an uploaded image. */
import * as v from 'valibot';
import type { Submission } from '#core/jobs/submit.ts';
import { systemName } from '#core/model/system-collections/name.ts';

export const IMAGE_FACTS_JOB = 'image-facts';

export const imageFactsMessage = v.strictObject({
  version: v.literal(1),
  /** The position of the content. */
  storage: v.string(),
  name: v.string(),
});

type Place = Pick<v.InferOutput<typeof imageFactsMessage>, 'storage' | 'name'>;

/** Width and height after applying the orientation, and the metadata of cameras and programs. */
export const imageFacts = v.strictObject({
  width: v.number(),
  height: v.number(),
  metadata: v.record(v.string(), v.unknown()),
});
export type ImageFacts = v.InferOutput<typeof imageFacts>;

/** The stored result of the job; null for a file that is not an image. */
export const imageFactsResult = v.nullable(imageFacts);

/**
 * @param isLate the file already exists, and is updated after the measurement
 * @param requestId the id of the request that stored it
 */
export function imageFactsSubmission(
  { storage, name }: Place,
  { isLate, requestId }: { readonly isLate: boolean; readonly requestId: string | null },
): Submission {
  return {
    kind: IMAGE_FACTS_JOB,
    queue: 'images',
    message: { version: 1, ...{ storage, name } },
    mailbox: null,
    collection: systemName('files'),
    user: null,
    fingerprint: isLate ? `late ${name}` : name,
    requestId,
  };
}
