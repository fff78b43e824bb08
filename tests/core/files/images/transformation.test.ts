import fc from 'fast-check';
import t from 'tap';
import * as v from 'valibot';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { transformationSchema } from '#core/files/images/image-transformation.ts';
import {
  type ImageAsker,
  type ImageFile,
  parseTransformation,
  resolved,
  type TransformationRules,
  transformationKey,
} from '#core/files/images/transformation.ts';

const RULES: TransformationRules = {
  ...{ mode: 'all', presets: null, maxOperations: 5 },
  ...{ maxDimension: 6_000, maxPixels: 36_000_000 },
};
const ASKER: ImageAsker = {
  ...{ accept: undefined, isPreset: false, mayEnlarge: true, maxPixels: RULES.maxPixels },
};
const PNG: ImageFile = { type: 'image/png', focus: null, size: null };

function keyOf(parameters: Readonly<Record<string, unknown>>, rules = RULES): string | null {
  const found = parseTransformation(parameters, rules);
  return found && transformationKey(found);
}

function refused(parameters: Readonly<Record<string, unknown>>, rules = RULES): string {
  try {
    parseTransformation(parameters, rules);
  } catch (error) {
    return String(error);
  }
  return 'it is taken';
}

t.test('what is asked for', async (t) => {
  t.equal(parseTransformation({}, RULES), null, 'nothing');
  t.equal(parseTransformation({ width: '', fit: 'cover' }, RULES), null, 'nothing but defaults');
  t.match(parseTransformation({ width: '200', format: 'webp', quality: '80' }, RULES), {
    ...{ width: 200, height: null, fit: 'cover', format: 'webp', quality: 80, operations: [] },
  });
  t.match(parseTransformation({ transforms: '[["blur",4],["tint","rgb(255,0,0)"]]' }, RULES), {
    operations: [
      ['blur', 4],
      ['tint', 'rgb(255,0,0)'],
    ],
  });
  t.match(parseTransformation({ focal_point_x: '3', focal_point_y: '0', width: '5' }, RULES), {
    focus: { x: 3, y: 0 },
  });
});

t.test('the same effect has the same key', async (t) => {
  t.equal(keyOf({ width: '20', height: '10' }), keyOf({ height: '10', width: '20', fit: 'cover' }));
  t.not(keyOf({ width: '20' }), keyOf({ width: '21' }));
  const extract = (text: string) => keyOf({ transforms: `[["extract",${text}]]` });
  t.equal(
    extract('{"left":1,"top":2,"width":3,"height":4}'),
    extract('{"height":4,"width":3,"top":2,"left":1}'),
  );
});

t.test('what is refused is named', async (t) => {
  const cases: readonly (readonly [Readonly<Record<string, unknown>>, RegExp])[] = [
    [{ width: '0' }, /"width"/],
    [{ width: '6001' }, /"width" must be a whole number from 1 to 6000/],
    [{ width: '1.5' }, /"width"/],
    [{ width: '1e3' }, /"width"/],
    [{ width: ['1', '2'] }, /"width"/],
    [{ fit: 'fill' }, /"fit" must be one of/],
    [{ format: 'svg' }, /"format"/],
    [{ quality: '101' }, /"quality"/],
    [{ focal_point_x: '1' }, /together/],
    [{ key: 'unknown' }, /preset/],
    [{ key: '__proto__' }, /preset/],
    [{ key: 'system-small-cover', width: '3' }, /cannot be combined/],
    [{ transforms: 'x' }, /JSON/],
    [{ transforms: '{}' }, /a list/],
    [{ transforms: '["blur"]' }, /no operation/],
    [{ transforms: '[["constructor"]]' }, /"constructor" of "transforms" is no operation/],
    [{ transforms: '[["__proto__"]]' }, /no operation/],
    [{ transforms: '[["toFile","/tmp/x"]]' }, /no operation/],
    [{ transforms: '[["composite",[{"input":"/etc/passwd"}]]]' }, /no operation/],
    [{ transforms: '[["joinChannel","/etc/passwd"]]' }, /no operation/],
    [{ transforms: '[["boolean","/etc/passwd","and"]]' }, /no operation/],
    [{ transforms: '[["resize",100000000]]' }, /"resize" of "transforms" does not support/],
    [{ transforms: '[["resize",6001]]' }, /supports up to 6000 pixels/],
    [{ transforms: '[["extend",100000]]' }, /"extend"/],
    [{ transforms: '[["blur",100000]]' }, /"blur"/],
    [{ transforms: '[["median",99]]' }, /"median"/],
    [{ transforms: '[["convolve",{"width":3,"height":3,"kernel":[1]}]]' }, /"convolve"/],
    [{ transforms: JSON.stringify(Array(6).fill(['flip'])) }, /ASSETS_TRANSFORM_MAX_OPERATIONS/],
  ];
  for (const [parameters, message] of cases) t.match(refused(parameters), message);
});

t.test('presets, and what the settings allow', async (t) => {
  const presets = [
    {
      key: 'card',
      fit: 'contain',
      width: 200,
      height: 100,
      quality: 70,
      format: 'jpg',
      transforms: [['flip']],
    },
    { key: 'broken', width: 0 },
    'nothing',
  ];
  const some = { ...RULES, presets, mode: 'presets' };
  t.match(parseTransformation({ key: 'card' }, some), {
    ...{ fit: 'contain', width: 200, height: 100, quality: 70, format: 'jpg' },
    operations: [['flip']],
  });
  t.match(refused({ key: 'broken' }, some), /"width"/);
  t.match(refused({ width: '3' }, some), /settings do not allow/);
  const none = { ...some, mode: 'none' };
  t.match(refused({ key: 'card' }, none), /settings do not allow/);
  t.match(parseTransformation({ key: 'system-medium-contain' }, none), {
    width: 300,
    height: null,
  });
});

t.test('the format by what the client accepts', async (t) => {
  const auto = parseTransformation({ format: 'auto' }, RULES);
  const keep = parseTransformation({ width: '3' }, RULES);
  if (auto === null || keep === null) throw new Error('something is asked for');
  const chrome = 'image/avif,image/webp,image/apng,*/*;q=0.8';
  const formatOf = (asked: typeof auto, type: string, accept: string | undefined) =>
    resolved(asked, { ...PNG, type }, { ...ASKER, accept })?.format ?? null;
  t.equal(formatOf(auto, 'image/jpeg', chrome), 'avif');
  t.equal(formatOf(auto, 'image/jpeg', 'image/webp,*/*'), 'webp');
  t.equal(formatOf(auto, 'image/png', '*/*'), 'png');
  t.equal(formatOf(auto, 'image/png', 'image/avif;q=0,image/webp'), 'webp');
  t.equal(formatOf(auto, 'image/png', undefined), 'png');
  // What a client does not name it may not show.
  for (const accept of [undefined, '*/*', 'image/png']) {
    t.equal(formatOf(auto, 'image/avif', accept), 'png');
    t.equal(formatOf(auto, 'image/webp', accept), 'png');
    t.equal(formatOf(auto, 'image/tiff', accept), 'png');
  }
  t.equal(formatOf(auto, 'image/avif', chrome), 'avif');
  t.equal(formatOf(auto, 'image/avif', 'image/webp'), 'webp');
  t.equal(formatOf(auto, 'image/tiff', 'image/tiff'), 'tiff');
  t.equal(formatOf(keep, 'image/tiff', chrome), 'tiff');
  t.equal(formatOf(keep, 'image/svg+xml', chrome), null);
  t.equal(formatOf(keep, 'image/gif', chrome), null);
});

t.test('what a job stores is what was asked for', async (t) => {
  const parameters = { width: '3', transforms: '[["blur",4],["resize",5,null]]' };
  const asked = parseTransformation(parameters, RULES);
  const found = asked && resolved(asked, { ...PNG, focus: { x: 1, y: 2 } }, ASKER);
  t.match(found, { format: 'png', focus: { x: 1, y: 2 } });
  t.same(v.parse(transformationSchema, JSON.parse(JSON.stringify(found))), found);
});

/** What is made, or the reason why it is not. */
function made(
  parameters: Readonly<Record<string, unknown>>,
  [width, height]: readonly [number, number] | readonly [],
  asker: Partial<ImageAsker> = {},
) {
  const asked = parseTransformation(parameters, RULES);
  if (asked === null) throw new Error('nothing is asked for');
  const size = width === undefined || height === undefined ? null : { width, height };
  try {
    return resolved(asked, { ...PNG, size }, { ...ASKER, ...asker });
  } catch (error) {
    if (error instanceof ServiceError) return error.details;
    throw error;
  }
}

t.test('what becomes too large is refused with its limit', async (t) => {
  const operations = (...list: readonly unknown[]) => ({ transforms: JSON.stringify(list) });
  const small: readonly (readonly [
    Readonly<Record<string, unknown>>,
    readonly [number, number],
  ])[] = [
    [{ width: '6000', height: '6000' }, [1, 1]],
    [{ width: '6000' }, [6_000, 6_000]],
    [{ width: '2000', height: '2000', format: 'avif' }, [1, 1]],
    [{ width: '3000', fit: 'inside', height: '3000', format: 'avif' }, [3_000, 1_000]],
    [{ width: '4000', format: 'webp' }, [4_000, 4_500]],
    [operations(['extract', { left: 0, top: 0, width: 9, height: 9 }], ['avif']), [6_000, 6_000]],
    [
      {
        width: '3000',
        ...operations(['extract', { left: 0, top: 0, width: 9, height: 9 }], ['avif']),
      },
      [6_000, 6_000],
    ],
  ];
  for (const [parameters, size] of small) {
    t.notOk('reason' in (made(parameters, size) ?? {}), JSON.stringify(parameters));
  }
  const large: typeof small = [
    [{ width: '6000' }, [10, 6_000]],
    [{ width: '6000', height: '6000', fit: 'outside' }, [20, 10]],
    [{ width: '2001', height: '2000', format: 'avif' }, [1, 1]],
    [{ format: 'avif' }, [3_000, 2_000]],
    [{ quality: '80', format: 'webp' }, [6_000, 6_000]],
    [operations(['resize', 6_000, 6_000], ['avif']), [1, 1]],
    [operations(['toFormat', 'avif']), [3_000, 3_000]],
    [operations(['extend', 2_000]), [4_000, 4_000]],
    [operations(['rotate', 45]), [6_000, 6_000]],
    [{ width: '6000', ...operations(['rotate', 90]) }, [6_000, 100]],
    [{ width: '6000', ...operations(['rotate', 45]) }, [6_000, 100]],
    [
      operations(['extract', { left: 0, top: 0, width: 1, height: 99 }], ['resize', 6_000]),
      [6_000, 6_000],
    ],
  ];
  for (const [parameters, size] of large) {
    t.match(
      made(parameters, size),
      {
        limit: Number,
        variable: 'ASSETS_TRANSFORM_MAX_PIXELS',
        reason: { sentence: /may have \d+ pixels/ },
      },
      JSON.stringify(parameters),
    );
  }
  t.match(made({ width: '6000', height: '6000', format: 'avif' }, []), { limit: 4_000_000 });
  t.match(made({ width: '6000', format: 'avif' }, []), { format: 'avif' }, 'nobody knows yet');
  const preset = made({ width: '3000', height: '3000', format: 'avif' }, [1, 1], {
    isPreset: true,
  });
  t.match(preset, { format: 'avif' }, 'presets may make a larger one');
  t.match(made({ width: '3001', height: '3000', format: 'avif' }, [1, 1], { isPreset: true }), {
    limit: 9_000_000,
  });
});

t.test(
  'a format that the client takes is left out where the image is too large for it',
  async (t) => {
    const accept = 'image/avif,image/webp,*/*';
    const formatOf = (width: string, isPreset = false) =>
      made({ width, format: 'auto' }, [6_000, 6_000], { accept, isPreset });
    t.match(formatOf('2000'), { format: 'avif' });
    t.match(formatOf('3000'), { format: 'webp' });
    t.match(formatOf('3000', true), { format: 'avif' });
    t.match(formatOf('5000'), { format: 'png' });
  },
);

t.test('who may not enlarge gets nothing larger than the image', async (t) => {
  const parameters = {
    ...{ width: '6000', height: '6000', format: 'avif' },
    transforms: '[["resize",6000],["resize",5,6,{"fit":"fill","withoutEnlargement":false}]]',
  };
  t.match(made(parameters, [1, 1], { mayEnlarge: false }), {
    withoutEnlargement: true,
    operations: [
      ['resize', 6_000, null, { withoutEnlargement: true }],
      ['resize', 5, 6, { fit: 'fill', withoutEnlargement: true }],
    ],
  });
});

t.test('nothing that clients send is more than refused', async () => {
  const names = [
    'width',
    'height',
    'fit',
    'format',
    'quality',
    'key',
    'transforms',
    'focal_point_x',
  ];
  const value = fc.oneof(fc.string(), fc.json(), fc.anything());
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom(...names), value, { noNullPrototype: true }),
      (given) => /ServiceError|it is taken/.test(refused(given)),
    ),
  );
});
