/**
 * The operations that clients may use in `transforms`, with their arguments. The names are those of
 * sharp. No operation reads a file, and all arguments are bounded, so that no operation exhausts
 * the machine.
 */
import * as v from 'valibot';
import { reason } from '#core/base/errors/reason.ts';
import { invalidQuery } from '#core/base/errors/service-error.ts';

/** The largest margin, in pixels. */
const MARGIN = 2_000;
/** Pixels; the configuration sets a lower maximum. */
const pixels = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100_000));
const offset = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(100_000));
const margin = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(MARGIN));

function within(min: number, max: number) {
  return v.pipe(v.number(), v.minValue(min), v.maxValue(max));
}

const byte = within(0, 255);
const part = within(0, 1);
const quality = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100));
const color = v.union([
  v.pipe(
    v.string(),
    v.regex(/^(?:#[0-9a-f]{3,8}|[a-z]{3,24}|(?:rgb|hsl)a?\([\d\s.,%/-]{1,48}\))$/i),
  ),
  v.strictObject({ r: byte, g: byte, b: byte, alpha: v.optional(part) }),
]);
const background = v.strictObject({ background: v.optional(color) });
const channel = v.union([v.picklist(['red', 'green', 'blue', 'alpha']), v.picklist([0, 1, 2, 3])]);
const colorSpace = v.picklist(['srgb', 'b-w', 'cmyk', 'lab', 'rgb16', 'grey16']);
const fit = v.picklist(['cover', 'contain', 'fill', 'inside', 'outside']);
const factor = within(-100, 100);
const factors = v.union([factor, v.pipe(v.array(factor), v.minLength(1), v.maxLength(4))]);
const triple = v.strictTuple([factor, factor, factor]);

const FORMATS = ['jpg', 'jpeg', 'png', 'webp', 'tiff', 'avif'] as const;
const output = v.optional(v.strictObject({ quality: v.optional(quality) }));
const none = v.strictTuple([]);
const flag = v.union([none, v.strictTuple([v.boolean()])]);
const encoding = v.union([none, v.strictTuple([output])]);

/** The cost of a convolution grows with its area. */
const convolution = v.pipe(
  v.strictObject({
    width: v.pipe(v.number(), v.integer(), v.minValue(3), v.maxValue(9)),
    height: v.pipe(v.number(), v.integer(), v.minValue(3), v.maxValue(9)),
    kernel: v.pipe(v.array(factor), v.maxLength(81)),
    scale: v.optional(factor),
    offset: v.optional(within(-255, 255)),
  }),
  v.check(({ width, height, kernel }) => kernel.length === width * height, 'kernel'),
);

const area = v.strictObject({ left: offset, top: offset, width: pixels, height: pixels });
const sizes = v.strictObject({
  fit: v.optional(fit),
  background: v.optional(color),
  withoutEnlargement: v.optional(v.boolean()),
  withoutReduction: v.optional(v.boolean()),
});
const length = v.nullable(pixels);

const ARGUMENTS = {
  toFormat: v.union([
    v.strictTuple([v.picklist(FORMATS)]),
    v.strictTuple([v.picklist(FORMATS), output]),
  ]),
  jpeg: encoding,
  png: encoding,
  tiff: encoding,
  webp: encoding,
  avif: encoding,
  resize: v.union([
    v.strictTuple([length]),
    v.strictTuple([length, length]),
    v.strictTuple([length, length, sizes]),
  ]),
  extend: v.strictTuple([
    v.union([
      margin,
      v.strictObject({
        ...{ top: v.optional(margin), left: v.optional(margin) },
        ...{ bottom: v.optional(margin), right: v.optional(margin) },
        background: v.optional(color),
      }),
    ]),
  ]),
  extract: v.strictTuple([area]),
  trim: v.union([
    none,
    v.strictTuple([v.strictObject({ threshold: v.optional(byte), background: v.optional(color) })]),
  ]),
  rotate: v.union([
    none,
    v.strictTuple([within(-3_600, 3_600)]),
    v.strictTuple([within(-3_600, 3_600), background]),
  ]),
  flip: flag,
  flop: flag,
  sharpen: v.union([
    none,
    v.strictTuple([within(0.01, 10)]),
    v.strictTuple([v.strictObject({ sigma: within(0.01, 10) })]),
  ]),
  median: v.union([
    none,
    v.strictTuple([v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(9))]),
  ]),
  blur: v.union([none, v.strictTuple([within(0.3, 100)])]),
  flatten: v.union([none, v.strictTuple([background])]),
  gamma: v.union([none, v.strictTuple([within(1, 3)])]),
  negate: v.union([none, v.strictTuple([v.strictObject({ alpha: v.boolean() })])]),
  normalise: none,
  normalize: none,
  clahe: v.strictTuple([
    v.strictObject({
      width: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100)),
      height: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100)),
      maxSlope: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(100))),
    }),
  ]),
  convolve: v.strictTuple([convolution]),
  threshold: v.union([none, v.strictTuple([byte])]),
  linear: v.union([
    v.strictTuple([factors]),
    v.strictTuple([factors, v.union([byte, v.pipe(v.array(within(-255, 255)), v.maxLength(4))])]),
  ]),
  recomb: v.strictTuple([v.strictTuple([triple, triple, triple])]),
  modulate: v.strictTuple([
    v.strictObject({
      ...{ brightness: v.optional(within(0, 10)), saturation: v.optional(within(0, 10)) },
      ...{ hue: v.optional(within(-3_600, 3_600)), lightness: v.optional(within(-100, 100)) },
    }),
  ]),
  tint: v.strictTuple([color]),
  greyscale: flag,
  grayscale: flag,
  toColorspace: v.strictTuple([colorSpace]),
  toColourspace: v.strictTuple([colorSpace]),
  removeAlpha: none,
  ensureAlpha: v.union([none, v.strictTuple([part])]),
  extractChannel: v.strictTuple([channel]),
  bandbool: v.strictTuple([v.picklist(['and', 'or', 'eor'])]),
} as const satisfies Readonly<Record<string, v.GenericSchema<unknown[]>>>;

export type OperationName = keyof typeof ARGUMENTS;

/** One operation of sharp, with valid arguments. */
export type Operation = readonly [OperationName, ...unknown[]];

function isName(name: unknown): name is OperationName {
  return typeof name === 'string' && Object.hasOwn(ARGUMENTS, name);
}

/**
 * Parses one entry of `transforms`: a list of a name and its arguments.
 * @throws ServiceError INVALID_QUERY naming the operation
 */
export function parseOperation(entry: unknown): Operation {
  const [name, ...given] = Array.isArray(entry) ? entry : [];
  if (!isName(name)) {
    const shown = typeof name === 'string' ? `"${name.slice(0, 40)}"` : 'An entry';
    throw invalidQuery(reason('transform_operation_unknown', { operation: shown }));
  }
  const result = v.safeParse(ARGUMENTS[name], given);
  if (result.success) return [name, ...result.output];
  throw invalidQuery(reason('transform_arguments_wrong', { name }));
}
