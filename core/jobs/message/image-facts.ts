/** The message of the measurement of an image that was uploaded. */
import * as v from 'valibot';
import type { Submission } from '#core/jobs/submit.ts';
import { systemName } from '#core/model/system-collections/name.ts';

export const IMAGE_FACTS_JOB = 'image-facts';

export const imageFactsMessage = v.strictObject({
  version: v.literal(1),
  /** Where the bytes are. */
  storage: v.string(),
  name: v.string(),
});

type Place = Pick<v.InferOutput<typeof imageFactsMessage>, 'storage' | 'name'>;

/** Width and height as it is seen, and what cameras and programs wrote into it. */
export const imageFacts = v.strictObject({
  width: v.number(),
  height: v.number(),
  metadata: v.record(v.string(), v.unknown()),
});
export type ImageFacts = v.InferOutput<typeof imageFacts>;

/** The stored result of the job; null for what is no image. */
export const imageFactsResult = v.nullable(imageFacts);

/**
 * @param isLate the file exists, and is told of its image afterwards
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
