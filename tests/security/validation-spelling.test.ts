// A validation judges a value as PostgreSQL judges what is stored of it, however it is spelled.
import { pino } from 'pino';
import t from 'tap';
import { ANONYMOUS } from '#core/access/grants.ts';
import { openBus } from '#core/messaging/open-message-bus.ts';
import { openCatalog } from '#core/model/catalog/open-catalog.ts';
import { clusterId } from '#core/model/system/cluster-id.ts';
import { parseFilter } from '#core/query/parse/filter.ts';
import { Validation } from '#core/read/evaluate/validation.ts';
import { validationFault } from '#core/read/evaluate/validation-fault.ts';
import { install } from '../core/model/catalog/installation.ts';

const KEY = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee';
const MOMENTS = [
  ...['2020-01-01', '20200101', '2020-01-01T00:00:00', '2020-01-01 00:00:00Z', '20200101T000000Z'],
  ...['2019-12-31T24:00:00', '2019-12-31T23:59:60', '2020-01-01T01:00:00+01:00', 'infinity'],
  ...['2019-12-31T23:00:00-05:00', '2020-01-01T00:00:00.000001', '2020-01-01T00:00:00.4'],
  ...['2019-12-31T23:59:59.6', '-infinity', '0100-01-01 00:00:00 BC', '12020-01-01T00:00:00'],
];
const NUMBERS = [
  ...['10', '+10', '010', ' 10', '10 ', '1e1', '10.0', '100e-1', '-10', '9', '0', '-0', '11', '.5'],
  ...['10.0000000000000000000001', '9.99999999999999999999', '10.004', '10.005', '0.1', 'NaN'],
  ...['Infinity', '-inf', '1e300', '-9.995'],
];

/** The columns, operands that rules compare with, and spellings of values. */
const TYPES: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['uuid', [KEY], [KEY, KEY.toUpperCase(), `{${KEY}}`, KEY.replaceAll('-', '')]],
  ['date', ['2020-01-01', '2019-12-31'], MOMENTS],
  ['timestamp', ['2020-01-01T00:00:00'], MOMENTS],
  ['timestamptz', ['2020-01-01T00:00:00Z'], MOMENTS],
  ['timestamptz(0)', ['2020-01-01T00:00:00Z'], MOMENTS],
  ['timestamp(1)', ['2020-01-01T00:00:00'], MOMENTS],
  ['time', ['12:00:00'], ['12:00', '12:00:00.0', '11:59:60', '11:59:59.999999', '12:00Z', '24:00']],
  ['time(0)', ['12:00:00'], ['11:59:59.6', '11:59:59.4', '12:00:00.4']],
  ['int4', ['10', '-10', '0'], NUMBERS],
  ['int8', ['10', '9007199254740993'], [...NUMBERS, '9007199254740992', '09007199254740993']],
  ['numeric', ['10', '0', '0.1'], NUMBERS],
  ['numeric(8,2)', ['10', '10.01', '-10'], NUMBERS],
  ['float8', ['10', '0.1'], NUMBERS],
  ['float4', ['10', '0.1'], NUMBERS],
  ['char(5)', ['abc'], ['abc', 'abc ', 'abc    ', 'abd', ' abc']],
  ['varchar(3)', ['abc'], ['abc', 'abc ', 'abc    ', 'abd']],
  ['text', ['abc'], ['abc', 'abc ', 'ABC']],
];

const OPERATORS = { _eq: '=', _neq: '<>', _lt: '<', _lte: '<=', _gt: '>', _gte: '>=' } as const;

t.test('the validation and PostgreSQL agree on every spelling', async (t) => {
  const columns = TYPES.map(([type], index) => `c${index} ${type}`);
  const { url, pool, config } = await install(t, `CREATE TABLE v (id int, ${columns.join(', ')})`);
  const log = pino({ level: 'silent' });
  const bus = await openBus(config, url, await clusterId(pool, 'public'), log);
  const source = await openCatalog(config, { pool, kind: 'test', bus, log, keep: false });
  t.teardown(async () => {
    await source.close();
    await bus.close();
  });
  const catalog = source.current();
  const collection = catalog.collections.get('v');
  if (collection === undefined) throw new Error('there is no collection');
  const judge = (rule: object, item: Readonly<Record<string, unknown>>) => {
    const facts = { collection, catalog, caller: ANONYMOUS, now: new Date() };
    return new Validation(facts, [parseFilter(rule, 'v')]).faults(item).length === 0;
  };
  let judged = 0;
  for (const [index, [type, operands, values]] of TYPES.entries()) {
    const isText = /char|text/.test(type);
    const as = /^(int|num)/.test(type) ? 'numeric' : type;
    const operandType = type.startsWith('char') ? 'bpchar' : as.replace(/\(.*/, '');
    for (const value of values) {
      for (const operand of operands) {
        const name = `${value} as ${type} to ${operand}`;
        const tests = Object.values(OPERATORS).map((sign) => `v ${sign} $2::${operandType}`);
        const insert = pool.query<Record<string, boolean>>(
          `WITH made AS (INSERT INTO v (c${index}) VALUES ($1) RETURNING c${index} AS v)
           SELECT ${tests.map((test, at) => `${test} AS t${at}`).join(', ')} FROM made`,
          [value, operand],
        );
        const row = await insert.then(
          ({ rows }) => rows[0],
          () => undefined,
        );
        // What PostgreSQL does not take is not stored, whatever the rule says.
        if (row === undefined) continue;
        for (const [at, operator] of Object.keys(OPERATORS).entries()) {
          const isOrder = at > 1;
          if (isText && isOrder) continue;
          const found = judge({ [`c${index}`]: { [operator]: operand } }, { [`c${index}`]: value });
          t.equal(found, row[`t${at}`], `${name}: ${operator}`);
          judged += 1;
        }
        const out = judge({ [`c${index}`]: { _nin: [operand] } }, { [`c${index}`]: value });
        t.equal(out, row.t1, `${name}: _nin`);
      }
    }
  }
  t.ok(judged > 500, `${judged}`);

  for (const [column, wrong] of [
    ['c0', 'notuuid'],
    ['c1', 'garbage'],
    ['c3', '$NOWX'],
    ['c6', '2020'],
    ['c8', 'abc'],
    ['c8', '$CURRENT_USER'],
    ['year(c1)', 'abc'],
  ] as const) {
    for (const condition of [{ _neq: wrong }, { _nin: [wrong] }, { _nbetween: [wrong, wrong] }]) {
      const rule = { [column]: condition };
      const name = JSON.stringify(rule);
      const fault = validationFault(catalog, collection, parseFilter(rule, 'v'));
      t.type(fault?.code, 'string', name);
    }
  }
  for (const rule of [
    { c0: { _neq: '$CURRENT_USER' } },
    { c1: { _lte: '$NOW' } },
    { c3: { _between: ['$NOW(-1 day)', '$NOW'] } },
    { c8: { _in: [1, '2', null] } },
    { c8: { _in: '1,2' } },
    { 'year(c1)': { _gte: 2020 } },
    { c0: { _in: ['$CURRENT_USER.role', '$CURRENT_ROLES'] } },
  ]) {
    const name = JSON.stringify(rule);
    t.equal(validationFault(catalog, collection, parseFilter(rule, 'v')), null, name);
  }
});
