/**
 * Requests made of the grammar of queries and of what lies beside it: known and unknown names, each
 * perhaps twisted, values of every kind, and shapes that belong elsewhere. Wherever something may be
 * made up, it holds {@link TOKEN}.
 */
import fc from 'fast-check';

/** Stands in every name and value that is made up. */
export const TOKEN = 'fuzzzq';

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

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

interface Shape {
  readonly fields: readonly string[];
  /** Where relations lead. */
  readonly relations: Readonly<Record<string, string>>;
}

const USERS: Shape = {
  fields: ['id', 'email', 'password', 'token', 'tfa_secret', 'auth_data', 'status', 'role', 'tags'],
  relations: { role: 'system_roles', policies: 'system_access' },
};

/** The collections of the site as they are known to administrators. */
const SHAPES: Readonly<Record<string, Shape>> = {
  things: {
    fields: [
      ...['id', 'name', 'secret', 'amount', 'masked', 'hashed', 'doc', 'numbers', 'words', 'at'],
      ...['local', 'day', 'tod', 'price', 'ratio', 'ok', 'list', 'uid', 'mood', 'bytes', 'short'],
      ...['visible', 'parent', 'things', 'owner'],
    ],
    relations: { parent: 'things', things: 'things', owner: 'system_users', secrets: 'secrets' },
  },
  pairs: { fields: ['a', 'b', 'value', 'hidden'], relations: {} },
  'Odd " name': { fields: ['id', 'Mixed Case', 'a.b', 'select'], relations: {} },
  secrets: { fields: ['id', 'thing', 'text'], relations: { thing: 'things' } },
  seen: { fields: ['id', 'name', 'secret'], relations: {} },
  articles: {
    fields: ['id', 'title', 'body', 'status', 'views', 'published_at', 'comments', 'tags'],
    relations: { author_id: 'authors', comments: 'comments', tags: 'articles_tags' },
  },
  authors: {
    fields: ['id', 'name', 'email', 'bio', 'created_at', 'articles'],
    relations: { articles: 'articles' },
  },
  articles_tags: {
    fields: ['id', 'articles_id', 'tags_id'],
    relations: { articles_id: 'articles', tags_id: 'tags' },
  },
  tags: { fields: ['id', 'name', 'articles'], relations: { articles: 'articles_tags' } },
  comments: { fields: ['id', 'article_id', 'body'], relations: { article_id: 'articles' } },
  pages: { fields: ['id', 'title', 'blocks'], relations: { blocks: 'pages_blocks' } },
  pages_blocks: {
    fields: ['id', 'item', 'collection', 'pages_id'],
    relations: {
      ...{ pages_id: 'pages', 'item:block_text': 'block_text', 'item:block_hero': 'block_hero' },
      item: 'block_hero',
    },
  },
  block_text: { fields: ['id', 'content'], relations: {} },
  block_hero: { fields: ['id', 'headline'], relations: {} },
  system_users: USERS,
  system_roles: {
    fields: ['id', 'name', 'parent', 'users', 'policies'],
    relations: { parent: 'system_roles', users: 'system_users', policies: 'system_access' },
  },
  system_access: {
    fields: ['id', 'role', 'user', 'policy', 'sort'],
    relations: { role: 'system_roles', user: 'system_users' },
  },
};

const COLLECTIONS = [
  ...['things', 'things', 'things', 'things', 'pairs', 'Odd " name', 'secrets', 'seen', 'articles'],
  ...['articles', 'authors', 'tags', 'articles_tags', 'comments', 'pages', 'pages_blocks'],
  ...['block_hero', 'block_text'],
];
/** What is served nowhere. */
const ABSENT = ['system_users', 'system_sessions', 'system_logins', 'pg_class', 'constructor'];

const SYSTEM = [
  ...['users', 'users', 'roles', 'policies', 'access', 'permissions', 'presets', 'settings'],
  ...['activity', 'revisions', 'jobs', 'users/me', 'roles/me', 'permissions/me'],
];

const FIELDS = [...new Set(Object.values(SHAPES).flatMap(({ fields }) => fields))];

const OPERATORS = [
  ...['_eq', '_neq', '_lt', '_lte', '_gt', '_gte', '_in', '_nin', '_null', '_nnull', '_contains'],
  ...['_ncontains', '_icontains', '_starts_with', '_istarts_with', '_nends_with', '_iends_with'],
  ...['_between', '_nbetween', '_empty', '_nempty', '_ieq', '_regex', '_intersects', '_submitted'],
  ...['_some', '_none', '_and', '_or', '_json', '_not', `_${TOKEN}`, '__proto__'],
];

const AGGREGATES = [
  'count',
  'countDistinct',
  'countAll',
  'sum',
  'avg',
  'min',
  'max',
  'sumDistinct',
];
const CALLS = ['year', 'month', 'week', 'day', 'weekday', 'hour', 'minute', 'second', 'count'];

const TWISTED: readonly ((name: string) => string)[] = [
  (name) => name.toUpperCase(),
  (name) => `"${name}"`,
  (name) => `${name}"`,
  (name) => `${name}'`,
  (name) => `${name}\0`,
  (name) => `${name} `,
  (name) => `${name}\u0301`,
  (name) => `\u200b${name}`,
  (name) => name.replace(/a/g, '\u0430').replace(/e/g, '\u0435'),
  (name) => name.replace(/[a-z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)),
  (name) => `things.${name}`,
  (name) => `t0.${name}`,
  (name) => `$${name}`,
  (name) => `_${name}`,
  (name) => `-${name}`,
  (name) => `${name}:${name}`,
  (name) => `${name}::text`,
  (name) => `${name}) FROM (select ${TOKEN}`,
  (name) => `${name}; --${TOKEN}`,
  (name) => `${name}/*${TOKEN}*/`,
  (name) => `${name}.${TOKEN}`,
  (name) => `${name}_func`,
  (name) => `${name}[0]`,
  (name) => `${name}.`,
  (name) => `(${name})`,
  (name) => `json(${name}, a.${TOKEN})`,
  (name) => `json(${name}, b[0])`,
  (name) => `count(${name})`,
  (name) => `${TOKEN}(${name})`,
  (name) => `\\${name}`,
  (name) => `${name}\ud800`,
];

const ODD_NAMES = [
  '',
  '*',
  '*.*',
  '*.*.*',
  '__proto__',
  'constructor',
  'toString',
  'length',
  '.',
  ',',
];

const knownName = fc.constantFrom(...FIELDS);
const twistedName = fc
  .tuple(fc.constantFrom(...FIELDS, TOKEN), fc.constantFrom(...TWISTED))
  .map(([name, twist]) => twist(name));

/** A name of some field, or something like one. */
const name: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: knownName },
  { weight: 3, arbitrary: twistedName },
  { weight: 1, arbitrary: fc.constant(TOKEN) },
  { weight: 1, arbitrary: fc.constantFrom(...ODD_NAMES) },
);

/** Remembers what was made for a collection and a depth. */
function remembered<T>(make: (collection: string, depth: number) => fc.Arbitrary<T>) {
  const known = new Map<string, fc.Arbitrary<T>>();
  return (collection: string, depth = 3): fc.Arbitrary<T> => {
    const key = `${depth} ${collection}`;
    const found = known.get(key) ?? make(collection, depth);
    known.set(key, found);
    return found;
  };
}

function shapeOf(collection: string): Shape {
  return Object.hasOwn(SHAPES, collection) ? (SHAPES[collection] ?? USERS) : USERS;
}

/** Mostly a field of the collection, else anything. */
const nameOf = remembered((collection) => {
  const own = fc.constantFrom(...shapeOf(collection).fields);
  const call = fc.tuple(fc.constantFrom(...CALLS), own).map(([f, inner]) => `${f}(${inner})`);
  return fc.oneof(
    { weight: 24, arbitrary: own },
    { weight: 2, arbitrary: call },
    { weight: 2, arbitrary: name },
  );
});

interface Hop {
  readonly name: string;
  readonly target: string;
}

/** A relation of the collection; null where there is none. */
const hopOf = remembered((collection) => {
  const hops = Object.entries(shapeOf(collection).relations).map(([n, target]) => ({
    ...{ name: n, target },
  }));
  const odd = fc.tuple(name, fc.constantFrom(...COLLECTIONS));
  const any = odd.map(([n, target]): Hop => ({ name: n, target }));
  if (hops.length === 0) return any;
  return fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...hops) },
    { weight: 1, arbitrary: any },
  );
});

const pathOf: (collection: string, depth?: number) => fc.Arbitrary<string> = remembered(
  (collection, depth) => {
    if (depth === 0) return nameOf(collection);
    const further = hopOf(collection).chain((hop) =>
      pathOf(hop.target, depth - 1).map((rest) => `${hop.name}.${rest}`),
    );
    return fc.oneof(
      { weight: 3, arbitrary: nameOf(collection) },
      { weight: 1, arbitrary: further },
    );
  },
);

const TEXTS = [
  ...[TOKEN, `${TOKEN}'`, `'; DROP TABLE things; --${TOKEN}`, `${TOKEN}\0`, '', '%', '_', '\\'],
  ...[
    `"${TOKEN}`,
    `\${${TOKEN}}`,
    `$1${TOKEN}`,
    `$$${TOKEN}$$`,
    `${TOKEN}\ud800`,
    `\u202e${TOKEN}`,
  ],
  ...['$NOW', '$NOW(+1 day)', `$NOW(${TOKEN})`, '$NOW(+9999999999 years)', '$CURRENT_USER'],
  ...['$CURRENT_ROLES', '$CURRENT_POLICIES', '$CURRENT_USER.password', '$CURRENT_USER.role.users'],
  ...['$CURRENT_USER.token', `$CURRENT_USER.${TOKEN}`, '$CURRENT_ROLE.name', `$CURRENT_${TOKEN}`],
  ...['1', '-1', '0', '1e400', '99999999999999999999', 'NaN', 'Infinity', '-Infinity', '1.5'],
  ...['true', 'false', 'null', '2020-01-01', '2020-02-30', '0001-01-01T00:00:00Z', 'infinity'],
  ...['24:00:00', '12:00', '294277-01-01', '00000000-0000-0000-0000-000000000000', 'epoch'],
  ...[
    `{"a":"${TOKEN}"}`,
    `[${TOKEN}`,
    `["${TOKEN}"]`,
    '{}',
    '[]',
    '{"__proto__":{"x":1}}',
    '1,2,3',
  ],
];

const scalar: fc.Arbitrary<Json> = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 3, arbitrary: fc.constantFrom(0, 1, -1, 2.5, 1e21, 2 ** 53, -(2 ** 31) - 1, 40) },
  { weight: 1, arbitrary: fc.constantFrom<Json>(null, true, false) },
  { weight: 1, arbitrary: fc.string({ maxLength: 12, unit: 'binary' }) },
  { weight: 1, arbitrary: fc.nat({ max: 3_000 }).map((length) => TOKEN + 'x'.repeat(length)) },
);

const value: fc.Arbitrary<Json> = fc.oneof(
  { weight: 8, arbitrary: scalar },
  { weight: 2, arbitrary: fc.array(scalar, { maxLength: 4 }) },
  { weight: 1, arbitrary: fc.dictionary(name, scalar, { maxKeys: 2, noNullPrototype: true }) },
);

function single(key: string, member: Json): Json {
  return Object.fromEntries([[key, member]]);
}

const operator = fc.constantFrom(...OPERATORS);
const plausible = fc.constantFrom<Json>(
  1,
  2,
  '3',
  'thing 1',
  'x',
  'fine',
  true,
  '2020-01-01',
  'b1',
);
const operand = fc.oneof({ weight: 1, arbitrary: plausible }, { weight: 1, arbitrary: value });
const pair = fc.array(operand, { minLength: 2, maxLength: 2 });

/** A test with an operand of the shape that its operator takes, most of the time. */
const test = operator.chain((key) => {
  const fitting = /null$|empty$/.test(key)
    ? fc.constantFrom<Json>(true, false)
    : /between$/.test(key)
      ? pair
      : /in$/.test(key)
        ? fc.array(operand, { maxLength: 3 })
        : operand;
  return fc
    .oneof({ weight: 5, arbitrary: fitting }, { weight: 1, arbitrary: value })
    .map((given) => single(key, given));
});

const filterOf: (collection: string, depth?: number) => fc.Arbitrary<Json> = remembered(
  (collection, depth): fc.Arbitrary<Json> => {
    const leaf = fc.tuple(nameOf(collection), test).map(([key, inner]) => single(key, inner));
    if (depth === 0) return leaf;
    const parts = fc.array(filterOf(collection, depth - 1), { maxLength: 3 });
    const group = fc
      .tuple(fc.constantFrom('_and', '_or'), parts)
      .map(([key, filters]) => single(key, filters));
    const related = fc
      .tuple(hopOf(collection), fc.constantFrom('', '', '_some', '_none'))
      .chain(([hop, quantifier]) =>
        filterOf(hop.target, depth - 1).map((inner) =>
          single(hop.name, quantifier === '' ? inner : single(quantifier, inner)),
        ),
      );
    const odd = fc
      .tuple(operator, filterOf(collection, depth - 1))
      .map(([key, inner]) => single(key, inner));
    return fc.oneof(
      { weight: 8, arbitrary: leaf },
      { weight: 4, arbitrary: group },
      { weight: 5, arbitrary: related },
      { weight: 1, arbitrary: odd },
      { weight: 1, arbitrary: value },
    );
  },
);

function fieldsOf(collection: string) {
  const wild = fc.constantFrom('*', '*.*', '*.*.*');
  const one = fc.oneof(
    { weight: 6, arbitrary: pathOf(collection) },
    { weight: 1, arbitrary: wild },
  );
  return fc.array(one, { minLength: 1, maxLength: 4 });
}

function sortOf(collection: string) {
  const term = fc.tuple(fc.constantFrom('', '-'), pathOf(collection));
  return fc.array(
    term.map(([sign, path]) => sign + path),
    { minLength: 1, maxLength: 2 },
  );
}

const amount: fc.Arbitrary<Json> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<Json>(0, 1, 5, '3', -1) },
  { weight: 1, arbitrary: scalar },
);
function aliasOf(collection: string) {
  const target = fc.oneof(
    hopOf(collection).map((hop) => hop.name),
    nameOf(collection),
  );
  const key = fc.oneof(fc.constantFrom('one', 'two', TOKEN), name);
  return fc.dictionary(key, target, { maxKeys: 3, noNullPrototype: true });
}

function aggregateOf(collection: string) {
  const known = fc.constantFrom(...AGGREGATES);
  const key = fc.oneof({ weight: 9, arbitrary: known }, { weight: 1, arbitrary: name });
  const list = fc.array(nameOf(collection), { minLength: 1, maxLength: 2 });
  return fc.dictionary(key, fc.oneof(list, fc.constant('*')), {
    ...{ minKeys: 1, maxKeys: 2, noNullPrototype: true },
  });
}

function groupOf(collection: string) {
  return fc.array(nameOf(collection), { minLength: 1, maxLength: 2 });
}

function someOf(members: Record<string, fc.Arbitrary<Json>>, least: number) {
  const names = Object.keys(members);
  return fc
    .subarray(names, { minLength: least, maxLength: Math.min(names.length, 4) })
    .chain((chosen) =>
      fc
        .tuple(...chosen.map((key) => members[key] ?? value))
        .map((values): { [name: string]: Json } =>
          Object.fromEntries(chosen.map((key, index) => [key, values[index] ?? null])),
        ),
    );
}

const deepOf: (collection: string, depth?: number) => fc.Arbitrary<Json> = remembered(
  (collection, depth) =>
    hopOf(collection).chain(({ name: key, target }) => {
      const below = {
        ...{ _filter: filterOf(target, 1), _sort: sortOf(target), _limit: amount, _page: amount },
        ...{ _offset: amount, _search: scalar, _alias: aliasOf(target), _group: groupOf(target) },
        ...{ _fields: fieldsOf(target), _aggregate: aggregateOf(target) },
      };
      const inner: fc.Arbitrary<Json> =
        depth === 0 ? fc.constant(null) : fc.option(deepOf(target, depth - 1), { freq: 2 });
      return fc
        .tuple(someOf(below, 1), inner)
        .map(([members, more]) =>
          single(key, typeof more === 'object' ? { ...members, ...more } : members),
        );
    }),
);

const parametersOf = remembered((collection) =>
  someOf(
    {
      ...{ fields: fieldsOf(collection), filter: filterOf(collection), sort: sortOf(collection) },
      ...{ search: scalar, limit: amount, offset: amount, page: amount, backlink: scalar },
      ...{ aggregate: aggregateOf(collection), groupBy: groupOf(collection), version: scalar },
      ...{ deep: deepOf(collection, 2), alias: aliasOf(collection), export_safe: scalar },
      meta: fc.constantFrom<Json>('*', 'total_count', 'filter_count', 'estimated_count', TOKEN),
      export: fc.constantFrom<Json>('json', 'csv', 'xml', 'yaml', 'ndjson', TOKEN),
      access_token: fc.constantFrom<Json>([TOKEN], { a: TOKEN }, ''),
    },
    0,
  ),
);

/** Now and then a parameter has what belongs to another. */
const askedOf = remembered((collection) => {
  const parameters = parametersOf(collection);
  const confused = fc
    .tuple(parameters, name, value, fc.constantFrom('fields', 'filter', 'deep', 'alias', 'sort'))
    .map(([given, key, odd, place]): { [name: string]: Json } => {
      return { ...given, [place]: odd, [key]: odd };
    });
  return fc.oneof({ weight: 9, arbitrary: parameters }, { weight: 1, arbitrary: confused });
});

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
