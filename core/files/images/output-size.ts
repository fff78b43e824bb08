/**
 * Computes the output size of an image, and its maximum. The time and memory of an encoder grow
 * with the pixels, most of all for AVIF.
 */

import { type Reason, reason } from '#core/base/errors/reason.ts';
import type { ImageFormat, ImageTransformation } from './image-transformation.ts';
import type { Operation } from './operation.ts';

/** Width and height in pixels, after applying the orientation in the metadata. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** The limits of the configuration. */
export interface ImageLimits {
  /** ASSETS_TRANSFORM_IMAGE_MAX_DIMENSION */
  readonly maxDimension: number;
  /** ASSETS_TRANSFORM_MAX_PIXELS */
  readonly maxPixels: number;
}

/** A change of the size. */
export type Resizing = Pick<ImageTransformation, 'width' | 'height' | 'withoutEnlargement'> & {
  readonly fit: ImageTransformation['fit'] | 'fill';
};

/** Part of ASSETS_TRANSFORM_MAX_PIXELS that each format may use: by parameters, and by a preset. */
const PARTS: Readonly<
  Partial<Record<ImageFormat, { readonly free: number; readonly preset: number }>>
> = Object.freeze({ webp: { free: 1 / 2, preset: 1 / 2 }, avif: { free: 1 / 9, preset: 1 / 4 } });

/**
 * Maximum pixels of an image in a format. Presets may use more, because administrators define them.
 */
function mostPixels(format: ImageFormat, maxPixels: number, isPreset: boolean): number {
  const part = PARTS[format]?.[isPreset ? 'preset' : 'free'] ?? 1;
  return Math.floor(maxPixels * part);
}

const ENCODERS: ReadonlyMap<unknown, ImageFormat> = new Map<unknown, ImageFormat>([
  ['jpeg', 'jpg'],
  ['jpg', 'jpg'],
  ['png', 'png'],
  ['webp', 'webp'],
  ['tiff', 'tiff'],
  ['avif', 'avif'],
]);

/** The output format: an operation may set another format, and the last one applies. */
export function outputFormat(
  transformation: Pick<ImageTransformation, 'format' | 'operations'>,
): ImageFormat {
  let format = transformation.format;
  for (const [name, first] of transformation.operations) {
    format = ENCODERS.get(name === 'toFormat' ? first : name) ?? format;
  }
  return format;
}

function smaller(one: ImageSize, other: ImageSize): ImageSize {
  return {
    width: Math.min(one.width, other.width),
    height: Math.min(one.height, other.height),
  };
}

/**
 * The size of an image after resizing.
 * @returns null when it depends on the original size, which is unknown
 */
function resizedTo(own: ImageSize | null, resizing: Resizing): ImageSize | null {
  const { width, height, fit, withoutEnlargement } = resizing;
  if (width === null && height === null) return own;
  const isExact = width !== null && height !== null && fit !== 'outside';
  if (own === null) return isExact && !withoutEnlargement ? { width, height } : null;
  const scales = [
    ...(width === null ? [] : [width / own.width]),
    ...(height === null ? [] : [height / own.height]),
  ];
  if (isExact && fit !== 'inside') {
    return withoutEnlargement ? smaller({ width, height }, own) : { width, height };
  }
  const scale = fit === 'inside' ? Math.min(...scales) : Math.max(...scales);
  if (withoutEnlargement && scale > 1) return own;
  return {
    width: Math.max(1, Math.round(own.width * scale)),
    height: Math.max(1, Math.round(own.height * scale)),
  };
}

/** The bounding box of an image that is rotated by an angle. */
function turned({ width, height }: ImageSize, degrees: number): ImageSize {
  const angle = (degrees * Math.PI) / 180;
  const [cos, sin] = [Math.abs(Math.cos(angle)), Math.abs(Math.sin(angle))];
  return {
    width: Math.round(width * cos + height * sin),
    height: Math.round(width * sin + height * cos),
  };
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

/** The arguments of `resize`. */
export function resizingOf([, width, height, sizes]: Operation): Resizing {
  const named = member(sizes, 'fit');
  const fits = ['contain', 'fill', 'inside', 'outside'] as const;
  return {
    ...{ width: numberOf(width), height: numberOf(height) },
    fit: fits.find((fit) => fit === named) ?? 'cover',
    withoutEnlargement: member(sizes, 'withoutEnlargement') === true,
  };
}

/** The total margins of `extend`. */
function margins([, given]: Operation): ImageSize {
  const side = (name: string) => numberOf(given) ?? numberOf(member(given, name)) ?? 0;
  return { width: side('left') + side('right'), height: side('top') + side('bottom') };
}

function largest(sizes: readonly ImageSize[]): ImageSize | null {
  const pixels = ({ width, height }: ImageSize) => width * height;
  return sizes.reduce<ImageSize | null>(
    (most, size) => (most === null || pixels(size) > pixels(most) ? size : most),
    null,
  );
}

/** The size of the area that `extract` cuts out. */
function area([, given]: Operation): ImageSize {
  const side = (name: string) => numberOf(member(given, name)) ?? 1;
  return { width: side('width'), height: side('height') };
}

type Asked = Pick<
  ImageTransformation,
  'width' | 'height' | 'fit' | 'withoutEnlargement' | 'operations'
>;

/**
 * The output size, or a larger one. The library orders the operations itself: it may rotate an
 * image before it resizes it, or afterwards. The result of `trim` is unknown before it runs.
 * @param own the original size; null when unknown
 * @returns null when the output size depends on it
 */
function outputSize(own: ImageSize | null, asked: Asked): ImageSize | null {
  const { operations } = asked;
  const named = (wanted: Operation[0]) => operations.findLast(([name]) => name === wanted);
  const [resize, extract, extend] = [named('resize'), named('extract'), named('extend')];
  const resizing = resize === undefined ? asked : resizingOf(resize);
  const angle = numberOf(named('rotate')?.[1]) ?? 0;
  const turns = (size: ImageSize) => (angle === 0 ? [size] : [size, turned(size, angle)]);
  const cut = extract === undefined ? null : area(extract);
  // An area that is cut out before resizing has a different shape.
  const isCutBefore =
    asked.width === null &&
    asked.height === null &&
    operations.findIndex(([name]) => name === 'extract') <=
      (resize === undefined ? operations.length : operations.indexOf(resize));
  const source = isCutBefore && cut !== null ? cut : own;
  const sizes = (source === null ? [null] : turns(source))
    .map((size) => resizedTo(size, resizing))
    .filter((size) => size !== null)
    .flatMap(turns);
  const size = largest(sizes);
  if (size === null) return null;
  const left = isCutBefore || cut === null ? size : smaller(size, cut);
  const added = extend === undefined ? { width: 0, height: 0 } : margins(extend);
  return { width: left.width + added.width, height: left.height + added.height };
}

/** The pixels that an image would have, and their limit. */
export interface Excess {
  readonly pixels: number;
  readonly limit: number;
  readonly format: ImageFormat;
}

/** The limits of an image's pixels, and whether a preset applies. */
export interface PixelBounds {
  /** ASSETS_TRANSFORM_MAX_PIXELS */
  readonly maxPixels: number;
  /** An administrator has defined the variant. */
  readonly isPreset: boolean;
}

/** The excess of an image of a size; null within the limits. */
export function excessOf(
  { width, height }: ImageSize,
  format: ImageFormat,
  { maxPixels, isPreset }: PixelBounds,
): Excess | null {
  const limit = mostPixels(format, maxPixels, isPreset);
  const pixels = width * height;
  return pixels > limit ? { pixels, limit, format } : null;
}

/**
 * The expected excess of an image.
 * @param own the original size; null when unknown
 * @returns null when no excess can be predicted
 */
export function expectedExcess(
  own: ImageSize | null,
  asked: Asked & Pick<ImageTransformation, 'format'>,
  bounds: PixelBounds,
): Excess | null {
  const size = outputSize(own, asked);
  return size && excessOf(size, outputFormat(asked), bounds);
}

/** The reason of the refusal. */
export function excessReason({ pixels, limit, format }: Excess): Reason {
  const variable = 'ASSETS_TRANSFORM_MAX_PIXELS';
  return reason('image_has_too_many_pixels', { format, limit, variable, pixels });
}
