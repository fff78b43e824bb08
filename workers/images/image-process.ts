/**
 * A process that reads and transforms images, one at a time. When an image makes the library crash,
 * hang or exhaust memory, only this process ends, and no worker.
 */
import { stat } from 'node:fs/promises';
import { constants, getPriority, setPriority } from 'node:os';
import exif from 'exif-reader';
import sharp, { type Metadata, type Sharp } from 'sharp';
import { type Reason, reason } from '#core/base/errors/reason.ts';
import type { ImageTransformation, Point } from '#core/files/images/image-transformation.ts';
import type { Operation } from '#core/files/images/operation.ts';
import {
  excessOf,
  excessReason,
  expectedExcess,
  outputFormat,
  type Resizing,
  resizingOf,
} from '#core/files/images/output-size.ts';
import type { ImageResult, ImageTask } from './task.ts';

/** Maximum pixels of an image, over all its pages; the library would accept five times as many. */
const MOST_PIXELS = 50_000_000;
/** The encoding effort of AVIF; a higher effort takes seconds. */
const AVIF_EFFORT = 2;

// When workers run at a lower priority than other processes, image processes use the lowest one.
if (getPriority() > 0) setPriority(constants.priority.PRIORITY_LOW);

sharp.cache(false);
sharp.concurrency(1);
// Only formats that browsers display are read: no SVG, no PDF, and no format that refers to other
// files.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: [
    ...['VipsForeignLoadJpeg', 'VipsForeignLoadPng', 'VipsForeignLoadWebp', 'VipsForeignLoadTiff'],
    ...['VipsForeignLoadHeif', 'VipsForeignLoadNsgif'],
  ],
});

/** An error that the image causes. */
class ImageRefusal extends Error {
  readonly reason: Reason;

  constructor(why: Reason) {
    super(why.sentence);
    this.reason = why;
  }
}

function open(input: string): Sharp {
  return sharp(input, { limitInputPixels: MOST_PIXELS, failOn: 'truncated', animated: false });
}

/** @throws ImageRefusal for an image that is too large */
async function metadataOf(image: Sharp, maxDimension: number): Promise<Metadata> {
  const metadata = await image.metadata();
  const { width = 0, height = 0 } = metadata;
  if (width * height > MOST_PIXELS) throw new ImageRefusal(reason('image_pixels_too_many'));
  if (Math.max(width, height) > maxDimension) {
    throw new ImageRefusal(reason('image_side_too_long', { limit: maxDimension }));
  }
  return metadata;
}

/** Width and height after applying the orientation in the metadata. */
function seen({ width = 0, height = 0, orientation = 1 }: Metadata): Point {
  return orientation >= 5 ? { x: height, y: width } : { x: width, y: height };
}

/** The metadata of the camera, without its location unless that is requested. */
function exifOf({ exif: bytes }: Metadata, places: boolean): Record<string, unknown> {
  if (bytes === undefined) return {};
  try {
    const { GPSInfo, ...others } = exif(bytes);
    const told = places && GPSInfo !== undefined ? { ...others, GPSInfo } : others;
    // Converts buffers and dates to JSON values.
    return Object.fromEntries(
      Object.entries(told)
        .filter(([name]) => ['Image', 'Photo', 'GPSInfo'].includes(name))
        .map(([name, value]) => [name, plain(value)]),
    );
  } catch {
    return {};
  }
}

/**
 * The texts and numbers of a section; binary values are omitted, because users cannot read them.
 */
function plain(part: unknown): Record<string, unknown> {
  if (typeof part !== 'object' || part === null) return {};
  const entries = Object.entries(part).flatMap(([name, value]): [string, unknown][] => {
    if (value instanceof Date) return [[name, value.toISOString()]];
    if (typeof value === 'string') return [[name, value.replace(/\p{Cc}/gu, '').slice(0, 1_000)]];
    return typeof value === 'number' && Number.isFinite(value) ? [[name, value]] : [];
  });
  return Object.fromEntries(entries.slice(0, 100));
}

async function readFacts(task: Extract<ImageTask, { kind: 'facts' }>): Promise<ImageResult> {
  const metadata = await open(task.input).metadata();
  const { x: width, y: height } = seen(metadata);
  const { space, channels, density, hasAlpha, orientation, pages } = metadata;
  const facts = { space, channels, density, hasAlpha, orientation, pages };
  const told = Object.entries(facts).filter(([, value]) => value !== undefined);
  const known = { ...Object.fromEntries(told), ...exifOf(metadata, task.places) };
  return { kind: 'facts', facts: { width, height, metadata: known } };
}

/** Cuts out the requested shape, with the focus as close to its center as possible. */
function cutAround(image: Sharp, size: Point, wanted: Point, focus: Point): Sharp {
  const scale = Math.max(wanted.x / size.x, wanted.y / size.y);
  const scaled = { x: Math.round(size.x * scale), y: Math.round(size.y * scale) };
  const at = (point: number, all: number, part: number) =>
    Math.max(0, Math.min(all - part, Math.round(point * scale - part / 2)));
  return image
    .resize(Math.max(scaled.x, wanted.x), Math.max(scaled.y, wanted.y), { fit: 'fill' })
    .extract({
      left: at(focus.x, Math.max(scaled.x, wanted.x), wanted.x),
      top: at(focus.y, Math.max(scaled.y, wanted.y), wanted.y),
      width: wanted.x,
      height: wanted.y,
    });
}

/**
 * The requested width and height, limited to those of the image if it must not be enlarged. The
 * library would add wide margins to a small image.
 */
function bounded(
  size: Point,
  { width, height, fit, withoutEnlargement }: Resizing,
): readonly [number | null, number | null] {
  if (!withoutEnlargement || fit !== 'contain') return [width, height];
  return [width && Math.min(width, size.x), height && Math.min(height, size.y)];
}

function resized(image: Sharp, size: Point, transformation: ImageTransformation): Sharp {
  const { width, height, fit, withoutEnlargement, focus } = transformation;
  if (width === null && height === null) return image;
  const isSmaller = width !== null && height !== null && width <= size.x && height <= size.y;
  if (focus !== null && fit === 'cover' && width !== null && height !== null) {
    if (isSmaller || !withoutEnlargement) {
      return cutAround(image, size, { x: width, y: height }, focus);
    }
  }
  return image.resize(...bounded(size, transformation), { fit, withoutEnlargement });
}

function encoded(image: Sharp, { format, quality }: ImageTransformation): Sharp {
  const options = quality === null ? {} : { quality };
  if (format === 'avif') return image.avif({ ...options, effort: AVIF_EFFORT });
  return image.toFormat(format === 'jpg' ? 'jpeg' : format, options);
}

/** The arguments of an operation. */
function argumentsOf(operation: Operation, size: Point): readonly unknown[] {
  const [name, ...given] = operation;
  return name === 'resize' ? [...bounded(size, resizingOf(operation)), given[2] ?? {}] : given;
}

/**
 * Runs operations that `core/files/images/operation.ts` parsed; each changes the image in place.
 */
function operate(image: Sharp, transformation: ImageTransformation, size: Point): void {
  for (const operation of transformation.operations) {
    Reflect.apply(image[operation[0]], image, argumentsOf(operation, size));
  }
  // An operation that sets the format would set another effort.
  if (outputFormat(transformation) === 'avif') image.avif({ effort: AVIF_EFFORT });
}

async function transform(task: Extract<ImageTask, { kind: 'transform' }>): Promise<ImageResult> {
  const { input, output, transformation, limits } = task;
  const { maxDimension, maxPixels } = limits;
  const opened = open(input);
  const size = seen(await metadataOf(opened, maxDimension));
  // The edge has already refused sizes that only presets allow.
  const most = { maxPixels, isPreset: true };
  const excess = expectedExcess({ width: size.x, height: size.y }, transformation, most);
  if (excess !== null) throw new ImageRefusal(excessReason(excess));
  const image = encoded(opened.autoOrient().toColourspace('srgb'), transformation);
  operate(resized(image, size, transformation), transformation, size);
  const { width, height, format } = await image.toFile(output);
  const surplus = excessOf({ width, height }, outputFormat(transformation), most);
  if (surplus !== null) throw new ImageRefusal(excessReason(surplus));
  const type = `image/${format === 'heif' ? 'avif' : format}`;
  return { kind: 'made', type, width, height, bytes: (await stat(output)).size };
}

async function work(task: ImageTask): Promise<ImageResult> {
  try {
    return task.kind === 'facts' ? await readFacts(task) : await transform(task);
  } catch (error) {
    const why = error instanceof ImageRefusal ? error.reason : reason('image_unreadable');
    return { kind: 'refused', reason: why };
  }
}

process.on('message', (message: { readonly id: number; readonly task: ImageTask }) => {
  work(message.task).then(
    (result) => process.send?.({ id: message.id, result }),
    () => process.exit(1),
  );
});
// Its worker decides when it ends, and without the worker it has no tasks.
process.on('disconnect', () => process.exit(0));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
