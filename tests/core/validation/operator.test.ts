/** The interpreter of conditions in memory agrees with their compiler on every operator. */
import t from 'tap';
import { ANONYMOUS } from '#core/access/grants.ts';
import { operatorsOf } from '#core/query/operator.ts';
import { parseFilter } from '#core/query/parse/filter.ts';
import { Validation } from '#core/validation/validation.ts';
import { openAsker } from '../query/sql/fixture/asker.ts';
import { collectionWith } from './fixture/collection.ts';

const ONE = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee';
const TWO = 'bbbbbbbb-bbbb-4ccc-8ddd-eeeeeeeeeeee';

/**
 * Each field with its type, the values of the rows, and what they are compared with. Cases of letters
 * beyond ASCII are left out: the locale of the database decides them.
 */
const FIELDS: readonly (readonly [string, string, readonly unknown[], readonly unknown[]])[] = [
  ['n', 'int4', [-1, 0, 5, 10], [0, 5, '5', 7]],
  ['big', 'int8', ['9007199254740993', '1'], ['9007199254740992', 1]],
  ['exact', 'numeric', ['1.25', '-3', '10'], [1.25, '10.0', 0]],
  ['near', 'float8', [0.1, 2, -7.5], [0.1, 2, 3]],
  ['word', 'text', ['abc', 'ABC', 'a%c', '', 'b_c', 'ünï'], ['b', 'AB', '%', 'abc', '_c', 'ü']],
  ['day', 'date', ['2020-01-01', '2024-02-29'], ['2020-01-01', '2022-01-01']],
  ['at', 'timestamptz', ['2020-01-01T00:00:00.000Z'], ['2020-01-01T01:00:00+01:00', '2021-01-01']],
  ['flag', 'bool', [true, false], [true, false]],
  ['uid', 'uuid', [ONE, TWO], [ONE, ONE.toUpperCase()]],
];

const LISTS: ReadonlySet<string> = new Set(['_in', '_nin', '_between', '_nbetween']);
const FLAGS: ReadonlySet<string> = new Set(['_null', '_nnull', '_empty', '_nempty']);

/** What an operator is tried with: flags, lists of two, texts for parts of texts, else each operand. */
function operandsFor(operator: string, operands: readonly unknown[]): readonly unknown[] {
  if (FLAGS.has(operator)) return [true, false];
  const [first, second = first] = operands;
  if (LISTS.has(operator)) {
    return [
      [first, second],
      [second, first],
    ];
  }
  return /contains|with|ieq/.test(operator) ? operands.map(String) : operands;
}

t.test('what a row passes is what it is found by', async (t) => {
  const types = Object.fromEntries(FIELDS.map(([name, type]) => [name, type]));
  const { collection } = await collectionWith(types);
  const rows = FIELDS.flatMap(([name, , values]) => values.map((value) => [name, value] as const));
  const inserts = rows.map(
    ([name, value], index) =>
      `INSERT INTO things (id, ${name}) VALUES (${index}, '${String(value)}');`,
  );
  const columns = FIELDS.map(([name, type]) => `${name} ${type}`);
  const ask = await openAsker(
    t,
    `CREATE TABLE things (id int PRIMARY KEY, ${columns.join(', ')}); ${inserts.join('\n')}`,
  );
  const facts = { collection, caller: ANONYMOUS, now: new Date() };
  let compared = 0;
  for (const [name, , , operands] of FIELDS) {
    const items: unknown = await ask('things', {
      fields: '*',
      filter: { [name]: { _nnull: true } },
    });
    if (!Array.isArray(items)) throw new TypeError('a list of items was expected');
    const field = collection.fields.get(name);
    for (const operator of operatorsOf(field?.type ?? 'unknown', false)) {
      for (const operand of operandsFor(operator, operands)) {
        const filter = { [name]: { [operator]: operand } };
        const validation = new Validation(facts, [parseFilter(filter, 'rule')]);
        const passing = items
          .filter((item) => validation.faults({ [name]: item[name] }).length === 0)
          .map(({ id }) => id);
        const both = { _and: [{ [name]: { _nnull: true } }, filter] };
        const found: unknown = await ask('things', { fields: 'id', filter: both });
        const ids = Array.isArray(found) ? found.map(({ id }) => id) : found;
        compared += 1;
        t.strictSame(passing, ids, JSON.stringify(filter));
      }
    }
  }
  t.ok(compared > 200, `${compared} conditions were compared`);
});
