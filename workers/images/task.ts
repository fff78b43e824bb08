/** What a process for images is asked, and what it answers. */
import * as v from 'valibot';
import { storedReason } from '#core/base/errors/reason.ts';
import type { ImageTransformation } from '#core/files/images/image-transformation.ts';
import type { ImageLimits } from '#core/files/images/output-size.ts';
import { imageFacts } from '#core/jobs/message/image-facts.ts';

/** What is to be done with an image; files by their paths. */
export type ImageTask =
  | {
      readonly kind: 'facts';
      readonly input: string;
      /** Where it was taken is told, too. */
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
/** The image is at fault, and no other process would do better. */
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
