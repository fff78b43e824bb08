import fc from 'fast-check';
import t from 'tap';
import * as v from 'valibot';
import {
  parseTransformation,
  resolved,
  type TransformationRules,
  transformationKey,
  transformationSchema,
} from '#core/images/transformation.ts';

const RULES: TransformationRules = {
  ...{ mode: 'all', presets: null, maxOperations: 5, maxDimension: 6_000 },
};

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
    [{ key: 'system-small-cover', width: '3' }, /stands alone/],
    [{ transforms: 'x' }, /JSON/],
    [{ transforms: '{}' }, /a list/],
    [{ transforms: '["blur"]' }, /no operation/],
    [{ transforms: '[["constructor"]]' }, /"constructor" of "transforms" is no operation/],
    [{ transforms: '[["__proto__"]]' }, /no operation/],
    [{ transforms: '[["toFile","/tmp/x"]]' }, /no operation/],
    [{ transforms: '[["composite",[{"input":"/etc/passwd"}]]]' }, /no operation/],
    [{ transforms: '[["joinChannel","/etc/passwd"]]' }, /no operation/],
    [{ transforms: '[["boolean","/etc/passwd","and"]]' }, /no operation/],
    [{ transforms: '[["resize",100000000]]' }, /"resize" of "transforms" does not take/],
    [{ transforms: '[["resize",6001]]' }, /makes up to 6000 pixels/],
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
    resolved(asked, { type, focus: null }, accept)?.format ?? null;
  t.equal(formatOf(auto, 'image/jpeg', chrome), 'avif');
  t.equal(formatOf(auto, 'image/jpeg', 'image/webp,*/*'), 'webp');
  t.equal(formatOf(auto, 'image/png', '*/*'), 'png');
  t.equal(formatOf(auto, 'image/png', 'image/avif;q=0,image/webp'), 'webp');
  t.equal(formatOf(auto, 'image/png', undefined), 'png');
  t.equal(formatOf(keep, 'image/tiff', chrome), 'tiff');
  t.equal(formatOf(keep, 'image/svg+xml', chrome), null);
  t.equal(formatOf(keep, 'image/gif', chrome), null);
});

t.test('what a job stores is what was asked for', async (t) => {
  const parameters = { width: '3', transforms: '[["blur",4],["resize",5,null]]' };
  const asked = parseTransformation(parameters, RULES);
  const found = asked && resolved(asked, { type: 'image/png', focus: { x: 1, y: 2 } }, undefined);
  t.match(found, { format: 'png', focus: { x: 1, y: 2 } });
  t.same(v.parse(transformationSchema, JSON.parse(JSON.stringify(found))), found);
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
