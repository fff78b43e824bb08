/** Requests: queries and what lies beside them, and shapes that belong elsewhere. */
import fc from 'fast-check';
import { askedOf, parametersOf, plausible } from './parameter.ts';
import {
  ABSENT,
  COLLECTIONS,
  type Json,
  name,
  nameOf,
  SYSTEM,
  TOKEN,
  value,
} from './vocabulary.ts';

/** One request, its parameters still as values. */
export interface Draft {
  readonly method: string;
  /** Segments of the path, each as it is to be sent. */
  readonly path: readonly string[];
  readonly parameters: { [name: string]: Json };
  /** How parameters are written. */
  readonly spelling: 'json' | 'indices' | 'brackets' | 'repeat' | 'comma';
  /** What happens to the finished query string. */
  readonly twist: number;
  readonly body: Json | undefined;
}

const KEYS = [
  ...[
    '1',
    '4',
    '2',
    '1,b1',
    TOKEN,
    `${TOKEN}%00`,
    '%00',
    '%ff',
    '%zz',
    '..%2f',
    '1%2C2',
    '-1',
    '1e9',
  ],
  ...['99999999999', '1,2,3', 'me', '00000000-0000-0000-0000-000000000000', '%24CURRENT_USER'],
  ...[`%27${TOKEN}`, 'null', '%5B1%5D', '1%20OR%201=1', `${TOKEN}${'x'.repeat(900)}`],
];

interface Place {
  readonly collection: string;
  readonly segments: readonly string[];
}

function itemsOf(collection: string): Place {
  return { collection, segments: ['items', encodeURIComponent(collection.toWellFormed())] };
}

const place: fc.Arbitrary<Place> = fc.oneof(
  { weight: 16, arbitrary: fc.constantFrom(...COLLECTIONS).map(itemsOf) },
  { weight: 1, arbitrary: fc.oneof(fc.constantFrom(...ABSENT), name).map(itemsOf) },
  {
    weight: 5,
    arbitrary: fc.constantFrom(...SYSTEM).map((path) => {
      const [first = ''] = path.split('/');
      return { collection: `system_${first}`, segments: path.split('/') };
    }),
  },
);

const keyed = fc
  .tuple(place, fc.constantFrom(...KEYS))
  .map(([{ collection, segments }, key]): Place => ({ collection, segments: [...segments, key] }));

const spelling = fc.constantFrom('json', 'indices', 'brackets', 'repeat', 'comma');
const twist = fc.oneof(
  { weight: 12, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 7 }) },
);

const get = fc
  .oneof({ weight: 4, arbitrary: place }, { weight: 1, arbitrary: keyed })
  .chain(({ collection, segments }) =>
    fc.tuple(askedOf(collection), spelling, twist).map(([given, spelt, twisted]): Draft => {
      const rest = { spelling: spelt, twist: twisted, body: undefined };
      return { method: 'GET', path: segments, parameters: given, ...rest };
    }),
  );

const search = place.chain(({ collection, segments }) => {
  const asked = askedOf(collection);
  const keys = fc.array(fc.oneof(plausible, value), { maxLength: 3 });
  const body = fc.oneof(
    { weight: 8, arbitrary: asked.map((query) => ({ query })) },
    { weight: 3, arbitrary: fc.record({ query: asked, keys }) },
    { weight: 1, arbitrary: value },
  );
  const rest = { method: 'SEARCH', path: segments, spelling: 'json', twist: 0 } as const;
  return fc.tuple(body, asked, fc.nat({ max: 4 })).map(([sent, given, both]): Draft => {
    return { ...rest, parameters: both === 0 ? given : {}, body: sent };
  });
});

const item = fc.dictionary(nameOf('things'), value, { maxKeys: 4, noNullPrototype: true });
/** An item with related ones in every form that is written. */
const related = fc
  .tuple(
    fc.constantFrom('author_id', 'comments', 'tags', 'parent', 'things', 'owner', 'blocks'),
    fc.constantFrom<readonly string[]>(
      [],
      ['create'],
      ['update'],
      ['delete'],
      ['create', 'update'],
    ),
    fc.array(fc.oneof(item, value), { maxLength: 2 }),
    item,
  )
  .map(([key, forms, list, own]): Json => {
    const detailed = Object.fromEntries(forms.map((form) => [form, list]));
    return { title: 'x', ...own, [key]: forms.length === 0 ? list : detailed };
  });
const written = fc.oneof(
  { weight: 3, arbitrary: related },
  { weight: 5, arbitrary: item },
  { weight: 2, arbitrary: fc.array(item, { maxLength: 3 }) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.array(value, { maxLength: 3 }), item)
      .map(([keys, data]) => ({ keys, data })),
  },
  { weight: 1, arbitrary: value },
);

const writeForms = [
  ['POST', ['items', 'things']],
  ['PATCH', ['items', 'things']],
  ['PATCH', ['items', 'things', '1']],
  ['PATCH', ['items', 'pairs', '1,b1']],
  ['POST', ['items', 'articles']],
  ['PATCH', ['users', 'me']],
  ['PATCH', ['users', 'me', 'track', 'page']],
  ['POST', ['presets']],
  ['DELETE', ['items', 'secrets', TOKEN]],
  ['DELETE', ['jobs', TOKEN]],
] as const;

const write = fc
  .tuple(fc.constantFrom(...writeForms), written, parametersOf('things'), fc.boolean())
  .map(([[method, segments], body, given, both]): Draft => {
    const rest = { parameters: both ? given : {}, spelling: 'json', twist: 0 } as const;
    return { method, path: segments, ...rest, body };
  });

const CREDENTIALS = [
  'email',
  'password',
  'otp',
  'mode',
  'refresh_token',
  'token',
  'secret',
  'role',
];
const ENTRANCES = [
  ...['auth/login', 'auth/refresh', 'auth/logout', 'auth/password/request', 'auth/password/reset'],
  ...['users/register', 'users/invite', 'users/invite/accept', 'users/me/tfa/generate'],
  ...['users/me/tfa/enable', 'users/me/tfa/disable', `users/${TOKEN}/tfa/disable`],
];

const entrance = fc
  .tuple(
    fc.constantFrom(...ENTRANCES),
    fc.dictionary(
      fc.oneof(
        { weight: 9, arbitrary: fc.constantFrom(...CREDENTIALS) },
        { weight: 1, arbitrary: name },
      ),
      fc.oneof(
        { weight: 3, arbitrary: value },
        { weight: 1, arbitrary: fc.constantFrom(`${TOKEN}@example.com`, 'json', 'session') },
      ),
      { maxKeys: 5, noNullPrototype: true },
    ),
  )
  .map(([target, body]): Draft => {
    const rest = { parameters: {}, spelling: 'json', twist: 0 } as const;
    return { method: 'POST', path: target.split('/'), ...rest, body };
  });

const personal = fc
  .tuple(fc.constantFrom(...COLLECTIONS, ...ABSENT), fc.constantFrom(...KEYS))
  .map(([collection, key]): Draft => {
    const rest = { parameters: {}, spelling: 'json', twist: 0, body: undefined } as const;
    const path = ['permissions', 'me', encodeURIComponent(collection), key];
    return { method: 'GET', path, ...rest };
  });

/** Any request. */
export const draft: fc.Arbitrary<Draft> = fc.oneof(
  { weight: 10, arbitrary: get },
  { weight: 7, arbitrary: search },
  { weight: 3, arbitrary: write },
  { weight: 1, arbitrary: entrance },
  { weight: 1, arbitrary: personal },
);
