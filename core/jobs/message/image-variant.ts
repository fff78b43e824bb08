/** The message of the making of other forms of an image; edges submit it for whoever asks for them. */
import { hash } from 'node:crypto';
import * as v from 'valibot';
import {
  type ImageTransformation,
  transformationSchema,
} from '#core/files/images/image-transformation.ts';
import { transformationKey } from '#core/files/images/transformation.ts';
import type { Submission } from '#core/jobs/submit.ts';
import { systemName } from '#core/model/system-collections/name.ts';

export const IMAGE_VARIANT_JOB = 'image-variant';

/** Forms that one job makes. */
export const MOST_VARIANTS = 8;

/**
 * An image has so many mailboxes for each holder, and the same form of it always the same one: it is made
 * once, on whichever edge he asks, and he waits for no other holder.
 */
const LANES = 2;

export const imageVariantMessage = v.strictObject({
  version: v.picklist([2, 3]),
  file: v.string(),
  /** Where the bytes of the file are. */
  storage: v.string(),
  name: v.string(),
  lane: v.number(),
  /** For whom it is done: a user, or the address of an anonymous client. Absent before version 3. */
  holder: v.optional(v.string()),
  transformations: v.pipe(v.array(transformationSchema), v.nonEmpty(), v.maxLength(MOST_VARIANTS)),
});

type Message = v.InferOutput<typeof imageVariantMessage>;

/** Which of the mailboxes of its image a form belongs to. */
export function laneOf(transformation: ImageTransformation): number {
  return Number.parseInt(transformationKey(transformation).slice(0, 2), 16) % LANES;
}

export function imageMailbox({
  name,
  lane,
  holder,
}: Pick<Message, 'name' | 'lane' | 'holder'>): string {
  return `image ${name} ${lane}${holder === undefined ? '' : ` ${holder}`}`;
}

/** The result of the job. */
export const imageVariantResult = v.object({
  made: v.number(),
  refused: v.number(),
  /** Forms that its turn was too short for; nobody has tried to make them. Absent in older results. */
  left: v.optional(v.number(), 0),
});

/** A job is for one holder. */
type Ordered = Required<Pick<Message, 'file' | 'storage' | 'name' | 'lane' | 'holder'>>;

/**
 * @param transformations forms of one lane
 * @param requestId the id of the request that asked first
 */
export function imageVariantSubmission(
  { file, storage, name, lane, holder }: Ordered,
  transformations: readonly ImageTransformation[],
  requestId: string | null,
): Submission {
  return {
    kind: IMAGE_VARIANT_JOB,
    queue: 'images',
    message: { version: 3, ...{ file, storage, name, lane, holder, transformations } },
    mailbox: imageMailbox({ name, lane, holder }),
    collection: systemName('files'),
    user: null,
    turnsOf: `images ${holder}`,
    // The same forms are asked for again and again while nobody makes them. Jobs of other forms may
    // overlap: what one of them has made, the next one leaves.
    fingerprint: `${name} ${holder} ${hash('sha256', transformations.map(transformationKey).sort().join())}`,
    requestId,
  };
}
