/** Generates variants of images, and stores them beside the files. */
import { reasonOf } from '#core/base/errors/reason-of-error.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { FileVariants } from '#core/files/file-variant.ts';
import type { ImageTransformation } from '#core/files/images/image-transformation.ts';
import { transformationKey } from '#core/files/images/transformation.ts';
import {
  IMAGE_VARIANT_JOB,
  imageMailbox,
  imageVariantMessage,
} from '#core/jobs/message/image-variant.ts';
import type { MadeFile } from '#workers/images/image-files.ts';
import type { Actor } from '#workers/runtime/actor.ts';

/** Includes the time for reading and storing. */
const DEADLINE_MS = 120_000;
/**
 * Milliseconds of a job's turn. Variants that have not begun by then move to the next job of the
 * holder, so that jobs of other holders run in between. The first variant waits without limit.
 */
const TURN_MS = 2_000;
/** Jobs of older edges do not contain their holder. */
const UNKNOWN_HOLDER = 'unknown';

/**
 * The result of a variant: it was made, another process had made it, the image does not allow it,
 * or the turn ended first.
 */
type Made = { readonly made: boolean } | { readonly refusal: ServiceError } | 'left';

export const imageVariantActor: Actor<typeof imageVariantMessage> = {
  name: IMAGE_VARIANT_JOB,
  queue: 'images',
  message: imageVariantMessage,
  version: 3,
  effect: 'idempotent',
  deadline: () => DEADLINE_MS,
  mailbox: imageMailbox,

  async receive({ file, storage, name, transformations, holder = UNKNOWN_HOLDER }, context) {
    const { services, signal } = context;
    const { pool, schema, files, images } = services;
    const variants = new FileVariants(pool, schema);
    const source = { file, storage, name };
    const known = await variants.known(file, transformations.map(transformationKey));
    const wanted = transformations.filter((one) => !known.has(transformationKey(one)));

    const refused = async (transformation: ImageTransformation, error: unknown): Promise<Made> => {
      if (!(error instanceof ServiceError) || error.status >= 500) throw error;
      const { sentence } = reasonOf(error);
      await variants.refuse(source, transformationKey(transformation), sentence);
      return { refusal: error };
    };

    const make = async (
      input: string,
      transformation: ImageTransformation,
      turn: AbortSignal,
    ): Promise<Made> => {
      const use = async ({ content, type }: MadeFile) => {
        const stored = await files.keep(storage, transformation.format, content);
        await context.failpoint('variant.stored');
        const key = transformationKey(transformation);
        const made = await variants.add(source, key, { ...stored, type });
        if (!made) await files.giveUp([stored]);
        return { made };
      };
      try {
        return await images.made(input, transformation, { holder, signal: turn, use });
      } catch (error) {
        if (turn.aborted && error === turn.reason && !signal.aborted) return 'left';
        return await refused(transformation, error);
      }
    };

    const makeIn = async (input: string): Promise<readonly Made[]> => {
      const turn = AbortSignal.any([signal, AbortSignal.timeout(TURN_MS)]);
      return await allOf(wanted.map((one, n) => make(input, one, n === 0 ? signal : turn)));
    };

    const makeAll = async (): Promise<readonly Made[]> => {
      try {
        return await images.local(source, signal, makeIn);
      } catch (error) {
        // A failure to read the image affects all its variants.
        return await allOf(wanted.map((one) => refused(one, error)));
      }
    };

    const results = wanted.length === 0 ? [] : await makeAll();
    const tried = results.filter((one) => one !== 'left');
    const refusals = tried.flatMap((one) => ('refusal' in one ? [one.refusal] : []));
    const [first] = refusals;
    if (first !== undefined && refusals.length === transformations.length) throw first;
    const made = tried.filter((one) => 'made' in one && one.made).length;
    return { made, refused: refusals.length, left: results.length - tried.length };
  },
};

/**
 * Waits for all promises even when one fails, so that no work continues after its job has ended.
 */
async function allOf<T>(work: readonly Promise<T>[]): Promise<readonly T[]> {
  await Promise.allSettled(work);
  return await Promise.all(work);
}
