// @quick

import t from 'tap';
import { ServiceError } from '#core/base/errors/service-error.ts';
import type { Parameters } from '#core/query/parse/parameter.ts';
import { type Ask, openAsker } from './fixture/asker.ts';

let ask: Ask;

t.before(async () => {
  ask = await openAsker(
    t,
    `CREATE TABLE people (id int PRIMARY KEY, born date, facts jsonb, seen timestamptz);
     INSERT INTO people VALUES (1, '1980-05-01', '{"pin": 1234}', 'infinity'),
       (2, '1990-05-01', '[1, 2]', '2024-05-01 10:00Z'), (3, NULL, NULL, NULL);
     INSERT INTO system_fields (collection, field, special) VALUES
       ('people', 'born', 'conceal'), ('people', 'facts', 'cast-json,conceal')`,
  );
});

async function codeOf(parameters: Parameters): Promise<string> {
  try {
    return JSON.stringify(await ask('people', parameters));
  } catch (error) {
    if (error instanceof ServiceError) return error.code;
    throw error;
  }
}

t.test('no clause discloses a part of a concealed value', async (t) => {
  for (const call of ['year(born)', 'json(facts, pin)', 'count(facts)']) {
    const clauses: readonly Parameters[] = [
      { fields: call },
      { alias: { shown: call }, fields: 'shown' },
      { sort: call },
      { groupBy: call, aggregate: { count: '*' } },
    ];
    for (const parameters of clauses) {
      t.equal(await codeOf(parameters), 'FORBIDDEN', JSON.stringify(parameters));
    }
  }
  for (const key of ['year(born)', 'count(facts)']) {
    t.equal(await codeOf({ filter: { [key]: { _gt: 0 } } }), 'FORBIDDEN', key);
  }
});

t.test('an infinite timestamp has no parts', async (t) => {
  t.strictSame(await ask('people', { fields: 'year(seen)' }), [
    { seen_year: null },
    { seen_year: '2024' },
    { seen_year: null },
  ]);
  t.strictSame(await ask('people', { filter: { 'hour(seen)': 10 }, fields: 'id' }), [{ id: 2 }]);
});
