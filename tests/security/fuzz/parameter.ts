/** Parameters made of the grammar of queries, now and then with what belongs to another. */
import fc from 'fast-check';
import {
  AGGREGATES,
  hopOf,
  type Json,
  name,
  nameOf,
  OPERATORS,
  pathOf,
  remembered,
  scalar,
  TOKEN,
  value,
} from './vocabulary.ts';

function single(key: string, member: Json): Json {
  return Object.fromEntries([[key, member]]);
}

const operator = fc.constantFrom(...OPERATORS);
export const plausible = fc.constantFrom<Json>(
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

export const parametersOf = remembered((collection) =>
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
export const askedOf = remembered((collection) => {
  const parameters = parametersOf(collection);
  const confused = fc
    .tuple(parameters, name, value, fc.constantFrom('fields', 'filter', 'deep', 'alias', 'sort'))
    .map(([given, key, odd, place]): { [name: string]: Json } => {
      return { ...given, [place]: odd, [key]: odd };
    });
  return fc.oneof({ weight: 9, arbitrary: parameters }, { weight: 1, arbitrary: confused });
});
