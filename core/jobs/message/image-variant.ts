/** The message of a job that generates variants of an image; edges submit it for their clients. */
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

/** Maximum variants per job. */
export const MOST_VARIANTS = 8;

/**
 * An image has this many mailboxes per holder, and a variant always belongs to the same one. So it
 * is generated once, regardless of the edge, and no holder waits for another.
 */
const LANES = 2;

export const imageVariantMessage = v.strictObject({
  version: v.picklist([2, 3]),
  file: v.string(),
  /** The position of the file's content. */
  storage: v.string(),
  name: v.string(),
  lane: v.number(),
  /**
   * The holder of the job: a user, or the address of an anonymous client. Absent before version 3.
   */
  holder: v.optional(v.string()),
  transformations: v.pipe(v.array(transformationSchema), v.nonEmpty(), v.maxLength(MOST_VARIANTS)),
});

type Message = v.InferOutput<typeof imageVariantMessage>;

/** The mailbox of its image that a variant belongs to. */
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
  /** Variants that did not begin within the job's turn. Absent in older results. */
  left: v.optional(v.number(), 0),
});

/** A job belongs to one holder. */
type Ordered = Required<Pick<Message, 'file' | 'storage' | 'name' | 'lane' | 'holder'>>;

/**
 * @param transformations variants of one lane
 * @param requestId the id of the first request
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
    // Clients request the same variants repeatedly until they exist. Jobs with different variants
    // may overlap: each job skips existing variants.
    fingerprint: `${name} ${holder} ${hash('sha256', transformations.map(transformationKey).sort().join())}`,
    requestId,
  };
}
