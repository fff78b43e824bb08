/** The message of the making of another form of an image; edges submit it for whoever asks first. */
import * as v from 'valibot';
import {
  type ImageTransformation,
  transformationKey,
  transformationSchema,
} from '#core/images/transformation.ts';
import type { Submission } from '#core/jobs/submit.ts';
import { systemName } from '#core/system-collections/name.ts';

export const IMAGE_VARIANT_JOB = 'image-variant';

export const imageVariantMessage = v.strictObject({
  version: v.literal(1),
  file: v.string(),
  /** Where the bytes of the file are. */
  storage: v.string(),
  name: v.string(),
  transformation: transformationSchema,
});

type Message = v.InferOutput<typeof imageVariantMessage>;

/** @param requestId the id of the request that waits for it */
export function imageVariantSubmission(
  { file, storage, name }: Pick<Message, 'file' | 'storage' | 'name'>,
  transformation: ImageTransformation,
  requestId: string | null,
): Submission {
  return {
    kind: IMAGE_VARIANT_JOB,
    queue: 'images',
    message: { version: 1, ...{ file, storage, name, transformation } },
    mailbox: null,
    collection: systemName('files'),
    // Nobody's, so that all who ask for it join it.
    user: null,
    fingerprint: `${name} ${transformationKey(transformation)}`,
    requestId,
  };
}
