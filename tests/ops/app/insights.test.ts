// @newest @quick
/** The query that a panel of a dashboard makes, its period, its variables and its place. */
import t from 'tap';
import { freePlace, movePanel } from '#ops/app/source/insights/layout.ts';
import { isReady, readOptions } from '#ops/app/source/insights/panel-options.ts';
import {
  aggregateValue,
  barQuery,
  listQuery,
  metricQuery,
  timeQuery,
} from '#ops/app/source/insights/panel-query.ts';
import {
  alongTime,
  nowOf,
  partOf,
  precisionFor,
  spanBefore,
  spanOf,
} from '#ops/app/source/insights/period.ts';
import { resolveFilter, valuesOf, variableOf } from '#ops/app/source/insights/variables.ts';

const NOW = new Date('2024-03-10T14:00Z');
const WEEK = spanOf({ name: '7days', from: '', to: '' }, NOW);
const PAID = { status: { _eq: 'paid' } };
const SALES = readOptions({
  collection: 'orders',
  filter: PAID,
  function: 'sum',
  valueField: 'total',
  dateField: 'placed',
  groupField: 'country',
  limit: 5,
});
const READING = { filter: PAID, span: WEEK, dateType: 'timestamp' };
const IN_WEEK = { placed: { _gte: '2024-03-04T00:00:00.000Z', _lt: '2024-03-11T00:00:00.000Z' } };

t.test('each kind of panel is one query', async (t) => {
  t.strictSame(timeQuery(SALES, READING, 'day'), {
    aggregate: { sum: 'total' },
    groupBy: ['year(placed)', 'month(placed)', 'day(placed)'],
    filter: { _and: [PAID, IN_WEEK] },
    limit: 10_000,
  });
  t.strictSame(barQuery(SALES, READING), {
    aggregate: { sum: 'total' },
    groupBy: ['country'],
    filter: { _and: [PAID, IN_WEEK] },
    sort: ['-sum.total'],
    limit: 5,
  });
  const all = readOptions({ collection: 'orders' });
  t.strictSame(metricQuery(all, { ...READING, filter: null }), { aggregate: { count: '*' } });
  t.strictSame(barQuery({ ...all, groupField: 'country' }, { ...READING, filter: null }).sort, [
    '-count',
  ]);
  const listed = readOptions({ collection: 'orders', sortField: 'placed', limit: 1_000 });
  t.strictSame(listQuery(listed, { ...READING, span: null }, ['id', 'number']), {
    fields: ['id', 'number', 'placed'],
    filter: PAID,
    sort: ['-placed'],
    limit: 100,
  });
});

t.test('a date and a time without a zone are compared in their own notation', async (t) => {
  const of = (dateType: string) => metricQuery(SALES, { ...READING, filter: null, dateType });
  t.strictSame(of('date').filter, { placed: { _gte: '2024-03-04', _lt: '2024-03-11' } });
  t.strictSame(of('dateTime').filter, {
    placed: { _gte: '2024-03-04T00:00:00', _lt: '2024-03-11T00:00:00' },
  });
});

t.test('values are read as the API writes them', async (t) => {
  t.equal(aggregateValue({ sum: { total: '12.50' } }, SALES), 12.5);
  t.equal(aggregateValue({ sum: { total: null } }, SALES), null);
  t.equal(aggregateValue({ count: '3' }, readOptions(null)), 3);
});

t.test('options that say too little read nothing', async (t) => {
  t.notOk(isReady('time-series', readOptions({ collection: 'orders' })));
  t.notOk(isReady('metric', readOptions({ collection: 'orders', function: 'sum' })));
  t.ok(isReady('metric', readOptions({ collection: 'orders' })));
  t.ok(isReady('time-series', SALES));
  const strange = readOptions({ collection: 5, filter: [], function: 'drop', limit: -3 });
  t.match(strange, { collection: '', filter: null, function: 'count', limit: 1, range: 'page' });
});

t.test('periods', async (t) => {
  const at = (name: 'hour' | 'day' | 'all') => spanOf({ name, from: '', to: '' }, NOW);
  t.strictSame(at('hour'), { from: new Date('2024-03-10T13:00Z'), to: NOW });
  t.strictSame(at('day'), { from: new Date('2024-03-09T14:00Z'), to: NOW });
  t.equal(at('all'), null);
  t.strictSame(spanOf({ name: 'custom', from: '2024-01-01', to: '2024-01-31' }, NOW), {
    from: new Date('2024-01-01T00:00Z'),
    to: new Date('2024-02-01T00:00Z'),
  });
  t.equal(spanOf({ name: 'custom', from: '', to: '2024-01-31' }, NOW), null);
  t.strictSame(nowOf('7days', Date.parse('2024-03-10T13:20:10Z')), NOW);
  t.strictSame(nowOf('hour', Date.parse('2024-03-10T13:59:10Z')), NOW);
  t.not(WEEK, null);
  if (WEEK === null) return;
  t.strictSame(
    spanBefore(WEEK, NOW),
    { from: new Date('2024-02-26T00:00Z'), to: new Date('2024-03-03T14:00Z') },
    'as much as has passed of this one',
  );
});

t.test('a series has a point for each part of its period', async (t) => {
  t.equal(precisionFor('auto', WEEK, 'timestamp'), 'day');
  t.equal(precisionFor('minute', WEEK, 'timestamp'), 'hour', 'no ten thousand points');
  t.equal(precisionFor('hour', WEEK, 'date'), 'day');
  t.equal(precisionFor('auto', null, 'timestamp'), 'month');
  const row = { placed_year: '2024', placed_month: '3', placed_day: '9' };
  const day = partOf(row, 'placed', 'day');
  t.strictSame(day, new Date('2024-03-09T00:00Z'));
  t.equal(partOf({ placed_year: null }, 'placed', 'year'), null);
  if (day === null) return;
  const along = { span: WEEK, precision: 'day', type: 'timestamp', now: NOW } as const;
  t.strictSame(alongTime([[day, 7]], along, 0), {
    times: [4, 5, 6, 7, 8, 9, 10].map((number) => `2024-03-${String(number).padStart(2, '0')}`),
    values: [0, 0, 0, 0, 0, 7, 0],
  });
  const months = alongTime(
    [
      [new Date('2023-11-01T00:00Z'), 1],
      [new Date('2024-02-01T00:00Z'), 2],
    ],
    { ...along, span: null, precision: 'month' },
    null,
  );
  t.strictSame(months, {
    times: ['2023-11-01', '2023-12-01', '2024-01-01', '2024-02-01'],
    values: [1, null, null, 2],
  });
  t.strictSame(alongTime([], { ...along, span: null }, 0), { times: [], values: [] });
});

t.test(
  'variables stand in filters, and those without a value take their condition away',
  async (t) => {
    const region = variableOf({
      id: '1',
      name: 'Region',
      options: { variable: 'region', otherwise: 'North' },
    });
    const since = variableOf({ id: '1', name: null, options: { variable: 'since', kind: 'date' } });
    t.equal(variableOf({ id: '1', name: 'x', options: { variable: 'a b' } }), null);
    const variables = [region, since].filter((variable) => variable !== null);
    const filter = {
      _and: [
        { region: { _eq: '$region' } },
        { placed: { _between: ['$since', '2024-12-31'] } },
        { customer: { name: { _neq: '$since' } } },
        { price: { _eq: '$5' } },
      ],
    };
    const values = (text: string) => valuesOf(variables, new URLSearchParams(text));
    t.strictSame(resolveFilter(filter, variables, values('')), {
      _and: [{ region: { _eq: 'North' } }, { price: { _eq: '$5' } }],
    });
    t.strictSame(resolveFilter(filter, variables, values('var.region=*&var.since=2024-01-01')), {
      _and: [
        { placed: { _between: ['2024-01-01', '2024-12-31'] } },
        { customer: { name: { _neq: '2024-01-01' } } },
        { price: { _eq: '$5' } },
      ],
    });
    t.equal(resolveFilter({ placed: { _eq: '$since' } }, variables, values('')), null);
  },
);

t.test('panels move others out of their way', async (t) => {
  const place = (id: string, x: number, y: number) => ({
    ...{ id, position_x: x, position_y: y, width: 6, height: 4 },
  });
  const panels = [place('a', 1, 1), place('b', 7, 1), place('c', 1, 5)];
  const at = (list: readonly { id: string; position_x: number; position_y: number }[]) =>
    list.map(({ id, position_x: x, position_y: y }) => `${id} ${x} ${y}`);
  t.strictSame(at(movePanel(panels, 'a', { position_x: 7 })), ['a 7 1', 'b 7 5', 'c 1 5']);
  t.strictSame(at(movePanel(panels, 'a', { height: 6 })), ['a 1 1', 'b 7 1', 'c 1 7']);
  t.strictSame(at(movePanel(panels, 'b', { position_x: 30 })), ['a 1 1', 'b 7 1', 'c 1 5']);
  t.match(movePanel(panels, 'b', { width: 40 }), [{}, { width: 12, position_x: 1 }, {}]);
  t.match(freePlace(panels, 6, 4), { position_x: 7, position_y: 5 });
  t.match(freePlace([], 6, 4), { position_x: 1, position_y: 1 });
});
