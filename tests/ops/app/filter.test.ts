// @newest @quick
/** Filters as the Admin App edits them: the operators of the API, and back to what they were read from. */
import t from 'tap';
import { operatorsOf as coreOperatorsOf } from '#core/query/operator.ts';
import {
  hasIncomplete,
  readFilter,
  writeFilter,
} from '../../../ops/app/source/filter/filter-tree.ts';
import { operatorsOf } from '../../../ops/app/source/filter/operators.ts';

const TYPES = [
  ...['string', 'text', 'csv', 'binary', 'uuid', 'boolean', 'integer', 'bigInteger', 'decimal'],
  ...['float', 'date', 'time', 'dateTime', 'timestamp', 'json', 'geometry', 'hash', 'unknown'],
] as const;

t.test('every type is offered the operators that the API takes for it', async (t) => {
  for (const type of TYPES) {
    t.strictSame(
      [...operatorsOf(type, false)].sort(),
      [...coreOperatorsOf(type, false)].sort(),
      type,
    );
  }
  t.strictSame(
    [...operatorsOf('string', true)].sort(),
    [...coreOperatorsOf('string', true)].sort(),
  );
});

const FILTERS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'a condition': { title: { _eq: 'a' } },
  'through relations': { author: { country: { code: { _in: ['de', 'at'] } } } },
  'groups in groups': {
    _and: [{ a: { _gt: 1 } }, { _or: [{ b: { _null: true } }, { c: { _between: [1, 2] } }] }],
  },
  'one of related items': { books: { _some: { title: { _contains: 'x' } } } },
  'none of related items': { books: { _none: { title: { _contains: 'x' } } } },
  'several conditions on one related item': {
    books: { _some: { title: { _eq: 'x' }, price: { _lt: 3 } } },
  },
  'the number of related items': { 'count(books)': { _gte: 2 } },
  'inside of a document': { data: { _json: { 'a.b': { _eq: 1 } } } },
  'a negated flag': { a: { _null: false } },
  'a group below a relation': { author: { _or: [{ a: { _eq: 1 } }, { b: { _eq: 2 } }] } },
};

for (const [name, filter] of Object.entries(FILTERS)) {
  t.test(`${name} comes back as it was`, async (t) => {
    t.strictSame(writeFilter(readFilter(filter)), filter);
  });
}

t.test('members side by side and shorthands mean the same written out', async (t) => {
  t.strictSame(writeFilter(readFilter({ a: 1, b: { _lt: 2, _gt: 0 } })), {
    _and: [{ a: { _eq: 1 } }, { b: { _lt: 2 } }, { b: { _gt: 0 } }],
  });
  t.strictSame(writeFilter(readFilter({})), null);
});

t.test('what is not complete is left out', async (t) => {
  const read = readFilter({ _or: [{ a: { _eq: '' } }, { b: { _eq: 1 } }] });
  t.strictSame(writeFilter(read), { b: { _eq: 1 } });
  t.strictSame(writeFilter(readFilter({ a: { _between: [1, ''] } })), null);
});

t.test('a condition that is not complete is noticed at any depth', async (t) => {
  const filter = (value: unknown) =>
    readFilter({
      _and: [{ a: { _eq: 1 } }, { _or: [{ b: { _in: ['x'] } }, { c: { _eq: value } }] }],
    });
  t.equal(hasIncomplete(filter('')), true);
  t.equal(hasIncomplete(filter(null)), true);
  t.equal(hasIncomplete(filter(0)), false);
  t.equal(hasIncomplete(filter(false)), false);
});
