/** The message of the making of other forms of an image; edges submit it for whoever asks for them. */
import { hash } from 'node:crypto';
import * as v from 'valibot';
import {
  type ImageTransformation,
  transformationKey,
  transformationSchema,
} from '#core/images/transformation.ts';
import type { Submission } from '#core/jobs/submit.ts';
import { systemName } from '#core/system-collections/name.ts';

export const IMAGE_VARIANT_JOB = 'image-variant';

/** Forms that one job makes. */
export const MOST_VARIANTS = 8;

/**
 * An image has so many mailboxes, and the same form of it always the same one: it is made once, whoever
 * asks on whichever edge, and others need not wait for each other.
 */
const LANES = 2;

export const imageVariantMessage = v.strictObject({
  version: v.literal(2),
  file: v.string(),
  /** Where the bytes of the file are. */
  storage: v.string(),
  name: v.string(),
  lane: v.number(),
  transformations: v.pipe(v.array(transformationSchema), v.nonEmpty(), v.maxLength(MOST_VARIANTS)),
});

type Message = v.InferOutput<typeof imageVariantMessage>;

/** Which of the mailboxes of its image a form belongs to. */
export function laneOf(transformation: ImageTransformation): number {
  return Number.parseInt(transformationKey(transformation).slice(0, 2), 16) % LANES;
}

export function imageMailbox({ name, lane }: Pick<Message, 'name' | 'lane'>): string {
  return `image ${name} ${lane}`;
}

/**
 * @param transformations forms of one lane
 * @param requestId the id of the request that asked first
 */
export function imageVariantSubmission(
  { file, storage, name, lane }: Pick<Message, 'file' | 'storage' | 'name' | 'lane'>,
  transformations: readonly ImageTransformation[],
  requestId: string | null,
): Submission {
  return {
    kind: IMAGE_VARIANT_JOB,
    queue: 'images',
    message: { version: 2, ...{ file, storage, name, lane, transformations } },
    mailbox: imageMailbox({ name, lane }),
    collection: systemName('files'),
    // Nobody's, so that all who ask for the same join it.
    user: null,
    // The same forms are asked for again and again while nobody makes them. Jobs of other forms may
    // overlap: what one of them has made, the next one leaves.
    fingerprint: `${name} ${hash('sha256', transformations.map(transformationKey).sort().join())}`,
    requestId,
  };
}
