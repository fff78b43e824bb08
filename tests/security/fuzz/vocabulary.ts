/**
 * What requests are made of: known and unknown names, each perhaps twisted, and values of every
 * kind. Wherever something may be made up, it holds {@link TOKEN}.
 */
import fc from 'fast-check';

/** Stands in every name and value that is made up. */
export const TOKEN = 'fuzzzq';

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

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

export const COLLECTIONS = [
  ...['things', 'things', 'things', 'things', 'pairs', 'Odd " name', 'secrets', 'seen', 'articles'],
  ...['articles', 'authors', 'tags', 'articles_tags', 'comments', 'pages', 'pages_blocks'],
  ...['block_hero', 'block_text'],
];
/** What is served nowhere. */
export const ABSENT = [
  'system_users',
  'system_sessions',
  'system_logins',
  'pg_class',
  'constructor',
];

export const SYSTEM = [
  ...['users', 'users', 'roles', 'policies', 'access', 'permissions', 'presets', 'settings'],
  ...['activity', 'revisions', 'jobs', 'users/me', 'roles/me', 'permissions/me'],
];

const FIELDS = [...new Set(Object.values(SHAPES).flatMap(({ fields }) => fields))];

export const OPERATORS = [
  ...['_eq', '_neq', '_lt', '_lte', '_gt', '_gte', '_in', '_nin', '_null', '_nnull', '_contains'],
  ...['_ncontains', '_icontains', '_starts_with', '_istarts_with', '_nends_with', '_iends_with'],
  ...['_between', '_nbetween', '_empty', '_nempty', '_ieq', '_regex', '_intersects', '_submitted'],
  ...['_some', '_none', '_and', '_or', '_json', '_not', `_${TOKEN}`, '__proto__'],
];

export const AGGREGATES = [
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
export const name: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: knownName },
  { weight: 3, arbitrary: twistedName },
  { weight: 1, arbitrary: fc.constant(TOKEN) },
  { weight: 1, arbitrary: fc.constantFrom(...ODD_NAMES) },
);

/** Remembers what was made for a collection and a depth. */
export function remembered<T>(make: (collection: string, depth: number) => fc.Arbitrary<T>) {
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
export const nameOf = remembered((collection) => {
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
export const hopOf = remembered((collection) => {
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

export const pathOf: (collection: string, depth?: number) => fc.Arbitrary<string> = remembered(
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

export const scalar: fc.Arbitrary<Json> = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 3, arbitrary: fc.constantFrom(0, 1, -1, 2.5, 1e21, 2 ** 53, -(2 ** 31) - 1, 40) },
  { weight: 1, arbitrary: fc.constantFrom<Json>(null, true, false) },
  { weight: 1, arbitrary: fc.string({ maxLength: 12, unit: 'binary' }) },
  { weight: 1, arbitrary: fc.nat({ max: 3_000 }).map((length) => TOKEN + 'x'.repeat(length)) },
);

export const value: fc.Arbitrary<Json> = fc.oneof(
  { weight: 8, arbitrary: scalar },
  { weight: 2, arbitrary: fc.array(scalar, { maxLength: 4 }) },
  { weight: 1, arbitrary: fc.dictionary(name, scalar, { maxKeys: 2, noNullPrototype: true }) },
);
