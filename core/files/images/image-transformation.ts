/** The transformation of an image, as jobs store it. */
import * as v from 'valibot';
import { parseOperation } from './operation.ts';

export const FITS = ['cover', 'contain', 'inside', 'outside'] as const;

export const FORMATS = ['auto', 'jpg', 'png', 'webp', 'tiff', 'avif'] as const;

export const IMAGE_FORMATS = FORMATS.filter((format) => format !== 'auto');

export type ImageFormat = (typeof IMAGE_FORMATS)[number];

const point = v.strictObject({ x: v.number(), y: v.number() });

/** A point of an image, in pixels from its upper left corner. */
export type Point = Readonly<v.InferOutput<typeof point>>;

/** The transformation of an image, as jobs store it; null for unspecified values. */
export const transformationSchema = v.strictObject({
  width: v.nullable(v.number()),
  height: v.nullable(v.number()),
  fit: v.picklist(FITS),
  quality: v.nullable(v.number()),
  withoutEnlargement: v.boolean(),
  format: v.picklist(IMAGE_FORMATS),
  /** The point that must stay visible when the image is cut; null for its center. */
  focus: v.nullable(point),
  operations: v.pipe(v.array(v.pipe(v.unknown(), v.transform(parseOperation))), v.readonly()),
});

/** The transformation of an image. */
export type ImageTransformation = Readonly<v.InferOutput<typeof transformationSchema>>;
