// @newest
/** Queries with more parts than anybody needs are refused while they are read, part by part. */

import t from 'tap';
import { DEFAULT_LIMITS } from '#core/base/config/query-limits.ts';
import { reason, storedReason } from '#core/base/errors/reason.ts';
import {
  forbidden,
  invalidPayload,
  invalidQuery,
  ServiceError,
} from '#core/base/errors/service-error.ts';
import { ElementCounter } from '#core/query/parse/counter.ts';
import { parseFilter } from '#core/query/parse/filter.ts';
import { type Parameters, parseQuery } from '#core/query/parse/parameter.ts';

const limits = {
  ...{
    conditions: 10,
    listValues: 20,
    sortTerms: 5,
    groups: 4,
    nesting: 8,
    binds: 100,
    cost: 1_000,
    answerSize: 1_000_000,
    nestedItems: 1_000,
  },
  ...{ joins: 6, search: 30 },
};
const bounds = {
  ...{ limitDefault: 100, limitMax: undefined, maxDepth: 9, maxJsonDepth: 9, maxFields: 6 },
  limits,
};

/** Numbers up to one. */
function many<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function record<T>(count: number, value: T): Record<string, T> {
  return Object.fromEntries(many(count, (index) => [`m${index}`, value]));
}

/** A list as an object with numbered members. */
function numbered<T>(count: number, value: T): Record<string, T> {
  return Object.fromEntries(many(count, (index) => [String(index), value]));
}

/** What a refusal names; null when nothing is refused. */
function refused(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { variable, limit } = error.details;
    return [error.code, variable, limit];
  }
  return null;
}

const parse = (parameters: Parameters) => refused(() => parseQuery(parameters, bounds));

const one = { a: { _eq: 1 } };
const wide = (count: number): readonly Parameters[] => [
  { filter: { _or: many(count, () => one) } },
  { filter: { _and: many(count, () => ({})) } },
  { filter: { _or: many(count, () => ({ _and: [one] })) } },
  { filter: record(count, { _eq: 1 }) },
  { filter: record(count, 1) },
  { filter: { a: { _some: { _or: numbered(count, one) } } } },
  { filter: { a: { _json: record(count, { _eq: 1 }) } } },
  { filter: JSON.stringify({ _or: many(count, () => one) }) },
  { filter: { a: { _in: many(count - 1, (index) => `$CURRENT_USER.a.b${index}`) } } },
  { deep: { a: { _filter: { _or: many(count, () => one) } } } },
  {
    filter: { _or: many(Math.floor(count / 2), () => one) },
    deep: { a: { _filter: { _or: many(Math.ceil(count / 2), () => one) } } },
  },
];

t.test('conditions are counted wherever they stand, levels below included', async (t) => {
  for (const [index, parameters] of wide(10).entries())
    t.equal(parse(parameters), null, `${index}`);
  for (const [index, parameters] of wide(11).entries()) {
    const expected = ['INVALID_QUERY', 'QUERY_MAX_CONDITIONS', 10];
    t.strictSame(parse(parameters), expected, `${index}`);
  }
});

t.test('values in lists are counted in every spelling', async (t) => {
  const spellings = (count: number): readonly Parameters[] => [
    { filter: { a: { _in: many(count, (index) => index) } } },
    { filter: { a: { _nin: many(count, String).join(',') } } },
    { filter: { a: { _in: numbered(count, 1) } } },
    { filter: { a: { _in: many(count / 2, String) }, b: { _in: many(count / 2, String) } } },
    { meta: many(count, () => 'total_count').join(',') },
  ];
  for (const [index, parameters] of spellings(20).entries()) {
    t.equal(parse(parameters), null, `${index}`);
  }
  for (const [index, parameters] of spellings(22).entries()) {
    t.strictSame(parse(parameters), ['INVALID_QUERY', 'QUERY_MAX_LIST_VALUES', 20], `${index}`);
  }
});

t.test('sort terms, groups, fields, aliases and levels are counted', async (t) => {
  const names = (count: number) => many(count, (index) => `f${index}`).join(',');
  const cases: readonly [string, number, (count: number) => Parameters][] = [
    ['QUERY_MAX_SORT_TERMS', 5, (count) => ({ sort: names(count) })],
    ['QUERY_MAX_SORT_TERMS', 5, (count) => ({ sort: many(count, () => '-a') })],
    ['QUERY_MAX_SORT_TERMS', 5, (count) => ({ deep: { a: { _sort: names(count) } } })],
    ['QUERY_MAX_GROUPS', 4, (count) => ({ groupBy: names(count) })],
    ['QUERY_MAX_GROUPS', 4, (count) => ({ deep: { a: { _group: names(count) } } })],
    ['QUERY_MAX_FIELDS', 6, (count) => ({ fields: names(count) })],
    ['QUERY_MAX_FIELDS', 6, (count) => ({ alias: record(count, 'a') })],
    ['QUERY_MAX_FIELDS', 6, (count) => ({ aggregate: { count: names(count) } })],
    ['QUERY_MAX_FIELDS', 6, (count) => ({ deep: record(count, {}) })],
  ];
  for (const [variable, limit, make] of cases) {
    t.equal(parse(make(limit)), null, variable);
    t.strictSame(parse(make(limit + 1)), ['INVALID_QUERY', variable, limit], variable);
  }
});

t.test('nesting is bounded in conditions and in the values that they compare with', async (t) => {
  const nested = (depth: number): unknown => (depth === 0 ? one : { _and: [nested(depth - 1)] });
  const list = (depth: number): unknown => (depth === 0 ? 1 : [list(depth - 1)]);
  t.equal(parse({ filter: nested(7) }), null);
  t.strictSame(parse({ filter: { a: list(20) } }), ['INVALID_QUERY', 'QUERY_MAX_NESTING', 8]);
  const expected = ['INVALID_QUERY', 'QUERY_MAX_NESTING', 8];
  t.strictSame(parse({ filter: nested(1_000) }), expected);
  t.strictSame(parse({ filter: `{"a":${'['.repeat(200)}${']'.repeat(200)}}` }), expected);
  t.match(parse({ sort: '['.repeat(20_000) }), ['INVALID_QUERY']);
  t.equal(parse({ sort: `["a\\"${'['.repeat(300)}"]` }), null, 'brackets in a text');
  t.match(parse({ sort: many(300, () => 'a').join('.') }), ['INVALID_QUERY']);
});

t.test('stored rules are counted when they are stored, not when they are read', async (t) => {
  const rule = { _or: many(DEFAULT_LIMITS.conditions + 1, () => one) };
  const expected = ['INVALID_QUERY', 'QUERY_MAX_CONDITIONS', DEFAULT_LIMITS.conditions];
  const counter = new ElementCounter(DEFAULT_LIMITS, 500);
  t.strictSame(
    refused(() => parseFilter(rule, 'permissions', counter)),
    expected,
  );
  t.equal(
    refused(() => parseFilter(rule, 'permissions')),
    null,
  );
});

t.test('relations that conditions go through are counted, once for all their fields', async (t) => {
  const through = (index: number) => ({ [`r${index}`]: { a: { _eq: 1 } } });
  const both = { r: { a: { _eq: 1 }, b: { _some: { _or: [{ a: 1 }, { c: { _null: true } }] } } } };
  const cases = (count: number): readonly Parameters[] => [
    { filter: { _or: many(count, through) } },
    { filter: many(count, () => 'r').reduce<object>((below, name) => ({ [name]: below }), one) },
    { filter: { _and: [...many(count - 2, through), both] } },
    { filter: { r: { _or: many(count - 1, through) } } },
    { deep: { a: { _filter: { _or: many(count, through) } } } },
  ];
  for (const [index, parameters] of cases(6).entries()) {
    t.equal(parse(parameters), null, `${index}`);
  }
  for (const [index, parameters] of cases(7).entries()) {
    t.strictSame(parse(parameters), ['INVALID_QUERY', 'QUERY_MAX_JOINS', 6], `${index}`);
  }
  const members = { a: { _json: record(9, { _eq: 1 }) } };
  t.equal(parse({ filter: { r: members } }), null, 'members of a document are no relations');
});

t.test('a search term has a length', async (t) => {
  const cases = (search: string): readonly Parameters[] => [
    { search },
    { search: `${' '.repeat(search.length - 1)}x` },
    { deep: { a: { _search: search } } },
  ];
  for (const parameters of cases('x'.repeat(30))) t.equal(parse(parameters), null);
  for (const parameters of cases('x'.repeat(31))) {
    t.strictSame(parse(parameters), ['INVALID_QUERY', 'QUERY_MAX_SEARCH', 30]);
  }
});

t.test('long names are refused before they are parsed, and not repeated', async (t) => {
  const long = `${'a.'.repeat(200_000)}b`;
  const cases: readonly Parameters[] = [
    { filter: { doc: { _json: { [long]: { _eq: 1 } } } } },
    { filter: { doc: { _json: { [`a${'[0]'.repeat(200_000)}`]: { _eq: 1 } } } } },
    { filter: { [long]: { _eq: 1 } } },
    { filter: { a: { _some: { [long]: 1 } } } },
    { fields: [long] },
    { fields: `json(doc, ${long})` },
    { sort: long },
    { groupBy: [long] },
    { alias: { [long]: 'a' } },
    { alias: { a: `json(doc, ${long})` } },
    { aggregate: { count: long } },
    { deep: { [long]: {} } },
    { meta: long },
    { limit: long },
  ];
  for (const [index, parameters] of cases.entries()) {
    try {
      parseQuery(parameters, { ...bounds, maxJsonDepth: 9 });
      t.fail(`${index}`);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const text = JSON.stringify(error);
      t.equal(error.code, 'INVALID_QUERY', `${index}`);
      t.ok(text.length < 1_000, `${index}: ${text.slice(0, 200)}`);
    }
  }
});

t.test('no error is as long as its cause', async (t) => {
  const long = 'x'.repeat(1_000_000);
  const said = (sentence: string) => storedReason(sentence, null, null);
  const errors = [
    invalidQuery(said(`"filter.${long.slice(0, 9_000)}._eq" is "${long.slice(0, 9_000)}".`)),
    invalidQuery(said(`"filter.${long}._eq" is "${long}".`)),
    invalidQuery(said(`"${long}`)),
    invalidPayload(said(`"${long}" is no field.`), { field: long, value: long }),
    invalidQuery(reason('operator_needs_document', { place: long, name: long })),
    forbidden(said(many(100_000, (index) => `"f${index}"`).join())),
  ];
  for (const error of errors) {
    t.ok(JSON.stringify(error).length < 8_000);
    t.ok(error.message.length < 4_000);
    const parameters = Object.values(error.details.reason?.parameters ?? {});
    t.ok(parameters.every((one) => String(one).length <= 1_001));
  }
  const [first] = errors;
  t.match(first?.details.reason?.sentence, /^"filter\.x{93}…" is "x{100}…"\.$/);
  t.equal(first?.details.parameter, `filter[${'x'.repeat(93)}…]`);
});
