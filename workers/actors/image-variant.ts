/** Makes other forms of images, and keeps them beside the files. */
import { ServiceError } from '#core/errors/service-error.ts';
import { FileVariants } from '#core/files/file-variant.ts';
import { transformationKey } from '#core/images/transformation.ts';
import { IMAGE_VARIANT_JOB, imageVariantMessage } from '#core/jobs/message/image-variant.ts';
import type { Actor } from '#workers/runtime/actor.ts';

/** With the times of reading and storing. */
const DEADLINE_MS = 120_000;

export const imageVariantActor: Actor<typeof imageVariantMessage> = {
  name: IMAGE_VARIANT_JOB,
  queue: 'images',
  message: imageVariantMessage,
  version: 1,
  effect: 'idempotent',
  deadline: () => DEADLINE_MS,
  mailbox: () => null,

  async receive({ file, storage, name, transformation }, context) {
    const { services, signal } = context;
    const { pool, schema, files, images } = services;
    const variants = new FileVariants(pool, schema);
    const source = { file, storage, name };
    const key = transformationKey(transformation);
    if ((await variants.find(file, key)) !== null) return { made: false };
    try {
      return await images.made(source, transformation, {
        signal,
        async use({ content, type, width, height }) {
          const stored = await files.keep(storage, transformation.format, content);
          await context.failpoint('variant.stored');
          const made = await variants.add(source, key, { ...stored, type });
          if (!made) await files.giveUp([stored]);
          return { made, width, height, bytes: stored.bytes };
        },
      });
    } catch (error) {
      if (error instanceof ServiceError && error.status < 500) {
        await variants.refuse(source, key, String(error.details.reason));
      }
      throw error;
    }
  },
};
