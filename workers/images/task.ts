/** The messages between a worker and its image processes. */
import * as v from 'valibot';
import { storedReason } from '#core/base/errors/reason.ts';
import type { ImageTransformation } from '#core/files/images/image-transformation.ts';
import type { ImageLimits } from '#core/files/images/output-size.ts';
import { imageFacts } from '#core/jobs/message/image-facts.ts';

/** A task for an image; files are given by path. */
export type ImageTask =
  | {
      readonly kind: 'facts';
      readonly input: string;
      /** Include the location of the camera. */
      readonly places: boolean;
    }
  | {
      readonly kind: 'transform';
      readonly input: string;
      readonly output: string;
      readonly transformation: ImageTransformation;
      readonly limits: ImageLimits;
    };

const facts = v.object({ kind: v.literal('facts'), facts: imageFacts });
const made = v.object({
  kind: v.literal('made'),
  type: v.string(),
  width: v.number(),
  height: v.number(),
  bytes: v.number(),
});
/** The image is at fault, and another process would fail too. */
const refused = v.object({
  kind: v.literal('refused'),
  reason: v.pipe(
    v.object({ code: v.unknown(), parameters: v.unknown(), sentence: v.string() }),
    v.transform(({ code, parameters, sentence }) => storedReason(sentence, code, parameters)),
  ),
});

export const answer = v.object({
  id: v.number(),
  result: v.variant('kind', [facts, made, refused]),
});

/** An image that was written. */
export type MadeImage = Omit<v.InferOutput<typeof made>, 'kind'>;
export type ImageAnswer = v.InferOutput<typeof answer>;
export type ImageResult = ImageAnswer['result'];
