/** One statement serves all callers with the same permissions; their own values are filled in. */
import t from 'tap';
import { ANONYMOUS, type Caller, type Grants } from '#core/access/grants.ts';
import { parseFilter } from '#core/query/parse/filter.ts';
import { parseQuery } from '#core/query/parse/parameter.ts';
import { compilePage } from '#core/read/sql/compile.ts';
import { StatementCache, type UnparsedQuery } from '#core/read/statement-cache.ts';
import { install } from '#tests/core/model/catalog/installation.ts';

const BOUNDS = {
  limitDefault: 100,
  limitMax: undefined,
  maxDepth: 10,
  maxJsonDepth: 10,
  maxFields: 500,
};

const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const userOf = (n: number): Caller => ({ ...ANONYMOUS, user: uuid(n) });

const RULE = {
  _or: [
    { owner: '$CURRENT_USER' },
    { owner: { _in: [uuid(1), '$CURRENT_USER', '$CURRENT_ROLES'] } },
    { word: { _starts_with: '$CURRENT_USER' } },
    { word: '$CURRENT_USER.first_name' },
  ],
};

t.test('statements', async (t) => {
  const { open, pool } = await install(
    t,
    'CREATE TABLE notes (id int PRIMARY KEY, owner uuid, word text, born timestamptz, flag boolean)',
  );
  const catalog = (await open(false)).current();
  const grantsOf = (rule: unknown): Grants => {
    const grant = [{ fields: new Set(['id']), rule: parseFilter(rule, 'rule') }] as const;
    return { of: () => grant };
  };
  const grants = grantsOf(RULE);
  const cache = new StatementCache();
  let compiled = 0;
  const ask = (caller: Caller, text: string, filter: unknown, from = grants) => {
    const question: UnparsedQuery = {
      text,
      query: () => parseQuery({ filter, fields: 'id' }, BOUNDS),
    };
    const place = 'list notes';
    const { statement } = cache.get(catalog, from, { place, question, caller }, (query) => {
      compiled += 1;
      const target = { catalog, grants: from, caller, bounds: BOUNDS, collection: 'notes' };
      return { kind: 'page', statement: compilePage(target, query) };
    });
    return statement;
  };

  await t.test('are compiled once for all users, and contain the values of each', async (t) => {
    const texts = new Set<string>();
    for (let n = 1; n <= 100; n += 1) {
      const { text, values } = ask(userOf(n), 'a', undefined);
      texts.add(text);
      const flat = values.flat();
      t.ok(flat.includes(uuid(n)) && flat.includes(`${uuid(n)}%`));
      t.notOk(flat.includes(uuid(n + 1)));
      if (n < 3) await pool.query(text, values);
    }
    t.equal(texts.size, 1);
    t.equal(compiled, 1);
  });

  await t.test('differ for callers with other available variables', (t) => {
    compiled = 0;
    ask(userOf(1), 'b', undefined);
    const anonymous = ask(ANONYMOUS, 'b', undefined);
    const grouped = ask({ ...userOf(2), roles: [uuid(7)] }, 'b', undefined);
    t.equal(compiled, 3);
    t.match(anonymous.text, 'NULL::boolean');
    t.ok(grouped.values.some((value) => Array.isArray(value) && value.includes(uuid(7))));
    t.end();
  });

  await t.test('contain the time of each execution', async (t) => {
    compiled = 0;
    const since = { born: { _gt: '$NOW' } };
    const everybody: Grants = { of: () => [{ fields: null, rule: null }] };
    const moment = () => String(ask(userOf(1), 'c', since, everybody).values[0]);
    const first = moment();
    while (new Date().toISOString() <= first) await new Promise(setImmediate);
    t.ok(moment() > first);
    t.equal(compiled, 1);
  });

  await t.test('reject a variable whose value does not fit the field', (t) => {
    const everybody: Grants = { of: () => [{ fields: null, rule: null }] };
    t.throws(() => ask(userOf(1), 'd', { flag: '$CURRENT_USER' }, everybody), {
      code: 'INVALID_QUERY',
    });
    t.throws(() => ask(userOf(1), 'd', { id: '$CURRENT_USER' }, everybody), {
      code: 'INVALID_QUERY',
    });
    t.end();
  });
});
