/**
 * Parses the transformation of an image: the parameters of `GET /assets/:id`, presets of the
 * settings, or built-in presets.
 */

import { createHash } from 'node:crypto';
import Negotiator from 'negotiator';
import * as v from 'valibot';
import { reason } from '#core/base/errors/reason.ts';
import { invalidQuery } from '#core/base/errors/service-error.ts';
import {
  FITS,
  FORMATS,
  type ImageFormat,
  type ImageTransformation,
  type Point,
} from './image-transformation.ts';
import { type Operation, parseOperation } from './operation.ts';
import {
  excessReason,
  expectedExcess,
  type ImageLimits,
  type ImageSize,
  type PixelBounds,
} from './output-size.ts';

/** The image types that can be transformed, and their formats. */
const TRANSFORMABLE: ReadonlyMap<string, ImageFormat> = new Map([
  ['image/jpeg', 'jpg'],
  ['image/png', 'png'],
  ['image/webp', 'webp'],
  ['image/tiff', 'tiff'],
  ['image/avif', 'avif'],
]);

/** Image types with a size, including those that cannot be transformed. */
export const MEASURED_TYPES: ReadonlySet<string> = new Set(['image/gif', ...TRANSFORMABLE.keys()]);

/** Whether a file of this type can have a width, a height, and metadata. */
export function isMeasured(type: string): boolean {
  return MEASURED_TYPES.has(type);
}

/** The requested transformation: the format may depend on the client, and the focus on the file. */
export interface Transformation extends Omit<ImageTransformation, 'format'> {
  readonly format: (typeof FORMATS)[number] | null;
}

/** The limits of the settings and the configuration. */
export interface TransformationRules extends ImageLimits {
  /** The setting `storage_asset_transform`. */
  readonly mode: string | null;
  /** The setting `storage_asset_presets`. */
  readonly presets: unknown;
  /** ASSETS_TRANSFORM_MAX_OPERATIONS */
  readonly maxOperations: number;
}

/** The parameters of a transformation. */
export const TRANSFORMATION_PARAMETERS = [
  ...['key', 'width', 'height', 'fit', 'quality', 'withoutEnlargement', 'format'],
  ...['focal_point_x', 'focal_point_y', 'transforms'],
] as const;

/** Whether the parameters request anything other than the unchanged file. */
export function asksForVariant(parameters: Given): boolean {
  return TRANSFORMATION_PARAMETERS.some((name) => parameters[name] !== undefined);
}

type Given = Readonly<Partial<Record<(typeof TRANSFORMATION_PARAMETERS)[number], unknown>>>;

const NOTHING: Transformation = Object.freeze({
  ...{ width: null, height: null, fit: 'cover', quality: null, withoutEnlargement: false },
  ...{ format: null, focus: null, operations: [] },
});

const SYSTEM_SIZES = { small: 64, medium: 300, large: 800 } as const;

/** The built-in presets. */
const BUILT_IN: ReadonlyMap<string, Given> = new Map(
  Object.entries(SYSTEM_SIZES).flatMap(([size, pixels]) => [
    [`system-${size}-cover`, { width: pixels, height: pixels, fit: 'cover', format: 'auto' }],
    [`system-${size}-contain`, { width: pixels, fit: 'contain', format: 'auto' }],
  ]),
);

const preset = v.looseObject({ key: v.string() });

function presetOf(key: unknown, { presets }: TransformationRules): Given {
  const own = Array.isArray(presets) ? presets : [];
  const found = own.find((one) => v.is(preset, one) && one.key === key);
  const built = typeof key === 'string' ? BUILT_IN.get(key) : undefined;
  if (v.is(preset, found)) return found;
  if (built !== undefined) return built;
  throw invalidQuery(reason('preset_unknown'));
}

/** @throws ServiceError INVALID_QUERY */
function whole(given: Given, name: keyof Given, min: number, max: number): number | null {
  const value = given[name];
  if (value === undefined || value === null || value === '') return null;
  const number = typeof value === 'string' && /^\d{1,6}$/.test(value) ? Number(value) : value;
  if (typeof number === 'number' && Number.isInteger(number) && number >= min && number <= max) {
    return number;
  }
  throw invalidQuery(reason('whole_number_in_range_expected', { name, min, max }));
}

/** @throws ServiceError INVALID_QUERY */
function oneOf<const T extends string>(
  given: Given,
  name: keyof Given,
  list: readonly T[],
): T | null {
  const value = given[name];
  if (value === undefined || value === null || value === '') return null;
  const found = list.find((one) => one === value);
  if (found !== undefined) return found;
  throw invalidQuery(reason('one_of_list_expected', { name, list: list.join(', ') }));
}

/** @throws ServiceError INVALID_QUERY */
function operationsOf(
  { transforms }: Given,
  { maxOperations: max, maxDimension }: TransformationRules,
): readonly Operation[] {
  if (transforms === undefined || transforms === null || transforms === '') return [];
  const list = typeof transforms === 'string' ? parsedList(transforms) : transforms;
  if (!Array.isArray(list)) throw invalidQuery(reason('transforms_list_expected'));
  if (list.length > max) {
    throw invalidQuery(reason('too_many_transforms', { max }));
  }
  const operations = list.map(parseOperation);
  const isHuge = ([name, ...given]: Operation) =>
    name === 'resize' && given.some((size) => typeof size === 'number' && size > maxDimension);
  if (!operations.some(isHuge)) return operations;
  throw invalidQuery(reason('transform_resize_too_large', { maxDimension }));
}

function parsedList(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidQuery(reason('transforms_json_expected'));
  }
}

function read(given: Given, rules: TransformationRules): Transformation {
  const { maxDimension: most } = rules;
  const x = whole(given, 'focal_point_x', 0, 999_999);
  const y = whole(given, 'focal_point_y', 0, 999_999);
  if ((x === null) !== (y === null)) {
    throw invalidQuery(reason('focal_point_incomplete'));
  }
  return {
    width: whole(given, 'width', 1, most),
    height: whole(given, 'height', 1, most),
    fit: oneOf(given, 'fit', FITS) ?? 'cover',
    quality: whole(given, 'quality', 1, 100),
    withoutEnlargement: [true, 'true', ''].some((one) => one === given.withoutEnlargement),
    format: oneOf(given, 'format', FORMATS),
    focus: x === null || y === null ? null : { x, y },
    operations: operationsOf(given, rules),
  };
}

/**
 * The transformation that the parameters of a request specify.
 * @returns null when they request the unchanged file
 * @throws ServiceError INVALID_QUERY naming the parameter, or for a transformation that the
 *   settings do not allow
 */
export function parseTransformation(
  parameters: Given,
  rules: TransformationRules,
): Transformation | null {
  const named = TRANSFORMATION_PARAMETERS.filter((name) => parameters[name] !== undefined);
  if (named.length === 0) return null;
  const { mode } = rules;
  const isBuiltIn = typeof parameters.key === 'string' && BUILT_IN.has(parameters.key);
  if (parameters.key !== undefined) {
    if (named.length > 1) throw invalidQuery(reason('preset_key_with_others'));
    if (mode === 'none' && !isBuiltIn) throw notAllowed();
    return read(presetOf(parameters.key, rules), rules);
  }
  if (mode === 'none' || mode === 'presets') throw notAllowed();
  const found = read(parameters, rules);
  return transformationKey(found) === transformationKey(NOTHING) ? null : found;
}

function notAllowed(): Error {
  return invalidQuery(reason('transformation_not_allowed'));
}

/** The properties of a file that a transformation depends on. */
export interface ImageFile {
  readonly type: string;
  readonly focus: Point | null;
  /** Null when it was not measured. */
  readonly size: ImageSize | null;
}

/** The properties of a request for a variant, and its limits. */
export interface ImageAsker extends PixelBounds {
  /** The client's `Accept` header. */
  readonly accept: string | undefined;
  /** Variants may be larger than the image itself. */
  readonly mayEnlarge: boolean;
}

/** The operations with enlargement disabled. */
function withoutEnlargement(operations: readonly Operation[]): readonly Operation[] {
  return operations.map((operation): Operation => {
    const [name, width, height = null, sizes] = operation;
    if (name !== 'resize') return operation;
    const others = typeof sizes === 'object' ? sizes : {};
    return [name, width, height, { ...others, withoutEnlargement: true }];
  });
}

/**
 * The requested transformation of an image of a type, in a format that its client accepts.
 * @returns null when such a file cannot be transformed
 * @throws ServiceError INVALID_QUERY when the result would be too large
 */
export function resolved(
  asked: Transformation,
  file: ImageFile,
  asker: ImageAsker,
): ImageTransformation | null {
  const own = TRANSFORMABLE.get(file.type);
  if (own === undefined) return null;
  const focus = asked.focus ?? file.focus;
  const wanted = asker.mayEnlarge
    ? { ...asked, focus }
    : {
        ...{ ...asked, focus, withoutEnlargement: true },
        operations: withoutEnlargement(asked.operations),
      };
  const excess = (format: ImageFormat) => expectedExcess(file.size, { ...wanted, format }, asker);
  const isSmall = (format: ImageFormat) => excess(format) === null;
  const format =
    asked.format === 'auto' ? acceptedFormat(own, asker.accept, isSmall) : (asked.format ?? own);
  const found = excess(format);
  if (found === null) return { ...wanted, format };
  const variable = 'ASSETS_TRANSFORM_MAX_PIXELS';
  throw invalidQuery(excessReason(found), { limit: found.limit, variable });
}

/** The best format that a client accepts and in which the image is not too large. */
function acceptedFormat(
  own: ImageFormat,
  accept: string | undefined,
  isSmall: (format: ImageFormat) => boolean,
): ImageFormat {
  const accepted = new Negotiator({ headers: { accept: accept ?? '' } }).mediaTypes();
  const better = (['avif', 'webp'] as const).find(
    (format) => accepted.includes(`image/${format}`) && isSmall(format),
  );
  if (better !== undefined) return better;
  // Every client displays these formats; other formats require an `Accept` header.
  return own === 'jpg' || own === 'png' || accepted.includes(`image/${own}`) ? own : 'png';
}

/** A key of a transformation: equal for the same effect, regardless of the order of its members. */
export function transformationKey(transformation: Transformation | ImageTransformation): string {
  const sorted = (_: string, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value;
  return createHash('sha256').update(JSON.stringify(transformation, sorted)).digest('hex');
}
