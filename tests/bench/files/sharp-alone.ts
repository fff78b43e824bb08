/** The baseline of thumbnails: the library alone, on as many images at a time as there are processors. */
import { availableParallelism } from 'node:os';
import sharp from 'sharp';

sharp.cache(false);
sharp.concurrency(1);

/** Makes thumbnails of an image, one for each width. @returns how many a second */
export async function thumbnailsAlone(file: string, widths: readonly number[]): Promise<number> {
  const started = performance.now();
  const left = [...widths];
  const work = async () => {
    for (let width = left.pop(); width !== undefined; width = left.pop()) {
      await sharp(file).autoOrient().resize(width).jpeg().toBuffer();
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return (widths.length / (performance.now() - started)) * 1_000;
}

/** Writes an image of 12 megapixels, as detailed as a photo. */
export async function writePhoto(file: string): Promise<void> {
  const size = { width: 4_000, height: 3_000, channels: 3 } as const;
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
  await sharp({ create: { ...size, background: '#000', noise } })
    .blur(4)
    .jpeg({ quality: 90 })
    .toFile(file);
}
