/** Views of collections: which are offered, and the days, groups, areas and branches that they are made of. */
import t from 'tap';
import type { Field, FieldSchema, Item, Relation } from '#ops/app/source/data/schema-types.ts';
import { possibleColumns } from '#ops/app/source/display/columns.ts';
import { NO_SHAPES } from '#ops/app/source/display/text-shape.ts';
import { keysUp, pathsUp } from '#ops/app/source/views/ancestor-paths.ts';
import {
  changesTo,
  filterOfDays,
  itemsByDay,
  spanOf,
} from '#ops/app/source/views/calendar-entries.ts';
import {
  addDays,
  addMonths,
  dayOf,
  daysBetween,
  daysShown,
  firstDayOfWeek,
  isDay,
  turned,
  valueOn,
  weeksOf,
} from '#ops/app/source/views/days.ts';
import { countOf, groupsOf, idOf, itemsOfGroup, readCounts } from '#ops/app/source/views/groups.ts';
import {
  candidatesOf,
  chosenField,
  coordinatesOf,
  offeredLayouts,
  readOptions,
} from '#ops/app/source/views/layout.ts';
import {
  areaOf,
  boundsOf,
  filterOfArea,
  isWithin,
  type Place,
  positionOf,
} from '#ops/app/source/views/points.ts';

const COLUMN: FieldSchema = {
  name: '',
  table: 'task',
  data_type: '',
  default_value: null,
  max_length: null,
  numeric_precision: null,
  numeric_scale: null,
  is_nullable: true,
  is_unique: false,
  is_indexed: false,
  is_primary_key: false,
  has_auto_increment: false,
  foreign_key_table: null,
  foreign_key_column: null,
  comment: null,
};

const ZONE = 'Europe/Berlin';

function field(name: string, type: string, schema: Partial<FieldSchema> = {}): Field {
  return { collection: 'task', field: name, type, schema: { ...COLUMN, ...schema }, meta: null };
}

function toOne(name: string, related: string): Relation {
  return {
    ...{ collection: 'task', field: name, related_collection: related },
    ...{ schema: null, meta: null },
  };
}

const KEY = field('id', 'integer', { is_primary_key: true, is_nullable: false });
const STAGE = field('stage', 'string', { enum_values: ['todo', 'done'] });
const WORDS = { none: 'None', yes: 'Yes', no: 'No' };

t.test('views follow from the fields', async (t) => {
  const fields = [
    ...[KEY, field('title', 'string'), STAGE, field('sold', 'boolean'), field('due', 'date')],
    ...[field('cover', 'uuid'), field('parent', 'integer'), field('owner', 'integer')],
    ...[field('home_lat', 'float'), field('home_lng', 'float'), field('spot', 'geometry.Point')],
  ];
  const relations = [
    ...[toOne('cover', 'system_files'), toOne('parent', 'task'), toOne('owner', 'person')],
  ];
  const possible = possibleColumns(fields, relations);
  const candidates = candidatesOf(possible, NO_SHAPES);
  const names = (layout: 'kanban' | 'map' | 'tree' | 'cards' | 'calendar') =>
    candidates[layout].map((column) => column.field.field);
  t.strictSame(offeredLayouts(candidates), [
    ...['tabular', 'cards', 'kanban', 'calendar', 'map', 'tree'],
  ]);
  t.strictSame(names('kanban'), ['stage', 'sold', 'parent', 'owner']);
  t.strictSame(names('cards'), ['cover']);
  t.strictSame(names('calendar'), ['due']);
  t.strictSame(names('tree'), ['parent']);
  t.strictSame(names('map'), ['spot', 'home_lat']);
  t.equal(coordinatesOf(possible)?.longitude.field.field, 'home_lng');
  t.equal(chosenField(candidates.kanban, 'sold')?.field.field, 'sold');
  t.equal(chosenField(candidates.kanban, 'gone')?.field.field, 'stage');
  const plain = candidatesOf(possibleColumns([KEY, field('title', 'string')], []), NO_SHAPES);
  t.strictSame(offeredLayouts(plain), ['tabular']);
  t.strictSame(readOptions({ mode: 'week', other: 3 }), { mode: 'week' });
  const other = [field('latitude', 'float'), field('house_longitude', 'float')];
  t.equal(coordinatesOf(possibleColumns(other, [])), null, 'of two different places');
});

t.test('calendars have whole weeks', async (t) => {
  t.equal(addDays('2028-02-28', 1), '2028-02-29');
  t.equal(addMonths('2026-01-31', 1), '2026-02-28');
  t.equal(addMonths('2026-01-31', -1), '2025-12-31');
  t.equal(daysBetween('2026-03-28', '2026-03-30'), 2, 'clocks that are put forward change no day');
  t.ok(isDay('2028-02-29'));
  t.notOk(isDay('2026-02-29'));
  t.equal(firstDayOfWeek('de'), 1);
  t.equal(firstDayOfWeek('en-US'), 0);
  t.equal(firstDayOfWeek('ar-EG'), 6);
  const month = daysShown('month', '2026-11-14', 1);
  t.strictSame([month[0], month.at(-1), month.length], ['2026-10-26', '2026-12-06', 42]);
  t.strictSame(daysShown('month', '2027-02-10', 1).length, 28, 'a month of four weeks');
  t.strictSame(daysShown('week', '2026-11-14', 0)[0], '2026-11-08');
  t.equal(weeksOf(month).length, 6);
  t.equal(turned('month', '2026-01-31', 1), '2026-02-01');
  t.equal(turned('week', '2026-01-31', -1), '2026-01-24');
});

t.test('values are on days', async (t) => {
  t.equal(dayOf('date', '2026-11-14', ZONE), '2026-11-14');
  t.equal(dayOf('dateTime', '2026-11-14T23:59:00', ZONE), '2026-11-14');
  t.equal(dayOf('date', 'infinity', ZONE), null);
  t.equal(dayOf('date', null, ZONE), null);
  t.equal(valueOn('dateTime', '2026-11-15', '2026-11-14T23:59:00', ZONE), '2026-11-15T23:59:00');
  const zoned = valueOn('timestamp', '2026-11-15', null, ZONE);
  t.equal(dayOf('timestamp', zoned, ZONE), '2026-11-15', 'in the zone of the user');
  t.equal(dayOf('timestamp', valueOn('timestamp', '2026-12-31', zoned, ZONE), ZONE), '2026-12-31');
});

t.test('items of a calendar move with their end', async (t) => {
  const when = { start: field('due', 'date'), end: field('until', 'dateTime'), zone: ZONE };
  const item: Item = { due: '2026-11-14', until: '2026-11-16T12:00:00' };
  t.strictSame(spanOf(when, item), ['2026-11-14', '2026-11-16']);
  t.strictSame(spanOf(when, { due: '2026-11-14', until: '2026-11-01T00:00:00' }), [
    ...['2026-11-14', '2026-11-14'],
  ]);
  const days = ['2026-11-15', '2026-11-16', '2026-11-17'];
  const byDay = itemsByDay(when, [item, { due: null }], days);
  t.strictSame(
    [...byDay.values()].map(({ length }) => length),
    [1, 1, 0],
  );
  t.strictSame(changesTo(when, item, '2026-11-15', '2026-11-20'), {
    ...{ due: '2026-11-19', until: '2026-11-21T12:00:00' },
  });
  t.strictSame(changesTo({ ...when, end: null }, item, '2026-11-14', '2026-11-13'), {
    due: '2026-11-13',
  });
  t.strictSame(filterOfDays({ ...when, end: null }, '2026-11-01', '2026-11-30'), {
    _and: [{ due: { _gte: '2026-11-01' } }, { due: { _lt: '2026-12-01' } }],
  });
});

t.test('boards have a column for each value', async (t) => {
  const counts = readCounts(
    [
      { stage: 'todo', count: 3 },
      { stage: 'old', count: { '*': '2' } },
      { stage: null, count: 1 },
    ],
    'stage',
  );
  const groups = groupsOf(STAGE, counts, null, WORDS);
  t.strictSame(
    groups.map(({ text }) => text),
    ['None', 'todo', 'done', 'old'],
  );
  const certain = field('sold', 'boolean', { is_nullable: false });
  t.strictSame(
    groupsOf(certain, [], null, WORDS).map(({ value }) => value),
    [false, true],
  );
  t.not(idOf(null), idOf('null'), 'nothing is no text');
  const [first, second]: Item[] = [{ id: 1 }, { id: 2 }];
  const keyOf = (item: Item) => String(item.id);
  const move = { item: { id: 1 }, key: '1', from: idOf('todo'), to: idOf('done') };
  t.strictSame(itemsOfGroup(idOf('todo'), [first ?? {}, second ?? {}], [move], keyOf), [{ id: 2 }]);
  t.strictSame(itemsOfGroup(idOf('done'), [], [move], keyOf), [{ id: 1 }]);
  t.strictSame(itemsOfGroup(idOf('done'), [{ id: 1 }], [move], keyOf), [{ id: 1 }], 'only once');
  t.equal(countOf(idOf('todo'), counts, [move]), 2);
  t.equal(countOf(idOf('done'), counts, [move]), 1);
});

t.test('maps have areas', async (t) => {
  const pair: Place = { kind: 'pair', latitude: 'lat', longitude: 'lng' };
  const shape: Place = { kind: 'geometry', field: 'spot' };
  t.strictSame(positionOf(pair, { lat: '48.1', lng: 11.5 }), [11.5, 48.1]);
  t.equal(positionOf(pair, { lat: 95, lng: 11 }), null, 'beyond the pole');
  t.equal(positionOf(pair, { lat: null, lng: 11 }), null);
  t.strictSame(positionOf(shape, { spot: { type: 'Point', coordinates: [1, 2] } }), [1, 2]);
  t.equal(positionOf(shape, { spot: { type: 'Polygon', coordinates: [] } }), null);
  const pacific = areaOf({ west: 170, south: -95, east: 200, north: 10 });
  t.strictSame(pacific, { west: 170, south: -90, east: -160, north: 10 });
  t.ok(isWithin(pacific, [-170, 0]));
  t.ok(isWithin(pacific, [175, 0]));
  t.notOk(isWithin(pacific, [0, 0]));
  t.match(filterOfArea(pair, pacific), { _or: [{ lng: { _between: [170, 180] } }, {}] });
  t.match(filterOfArea(shape, { west: 0, south: 1, east: 2, north: 3 }), {
    spot: { _intersects_bbox: { type: 'Polygon' } },
  });
  t.strictSame(areaOf({ west: -300, south: -10, east: 300, north: 10 }).west, -180);
  t.strictSame(
    boundsOf([
      [1, 2],
      [-3, 4],
    ]),
    { west: -3, south: 2, east: 1, north: 4 },
  );
  t.equal(boundsOf([]), null);
});

t.test('trees know what is above an item', async (t) => {
  t.strictSame(pathsUp('id', 'parent', 3), ['id', 'parent.id', 'parent.parent.id']);
  const item = { id: 3, parent: { id: 2, parent: { id: 1, parent: null } } };
  t.strictSame(keysUp(item, 'id', 'parent'), ['3', '2', '1']);
});
