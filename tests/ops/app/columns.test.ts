/** What a list begins with, and what items are called, for tables that nobody has described. */
import t from 'tap';
import type { Field, FieldSchema, Item, Relation } from '#ops/app/source/data/schema-types.ts';
import { chosenColumns, possibleColumns } from '#ops/app/source/display/columns.ts';
import { templateOf, templatePaths } from '#ops/app/source/display/template.ts';
import {
  isOneLine,
  isState,
  NO_SHAPES,
  sampledFields,
  textShapes,
} from '#ops/app/source/display/text-shape.ts';

const COLUMN: FieldSchema = {
  name: '',
  table: 'things',
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

function field(name: string, type: string, schema: Partial<FieldSchema> = {}): Field {
  return { collection: 'things', field: name, type, schema: { ...COLUMN, ...schema }, meta: null };
}

const KEY = { is_primary_key: true, has_auto_increment: true };

/** The columns of a list whose first items are these. */
function columnsOf(
  fields: readonly Field[],
  items: readonly Item[],
  relations: readonly Relation[] = [],
) {
  const shapes = textShapes(sampledFields(fields), items);
  const title = templatePaths(templateOf(undefined, fields, shapes));
  return chosenColumns(possibleColumns(fields, relations), null, { title, shapes });
}

const namesOf = (columns: ReturnType<typeof columnsOf>) =>
  columns.map(({ field: one }) => one.field);

function many(count: number, make: (index: number) => Item): readonly Item[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

t.test('a list begins with what tells most', (t) => {
  const airports = [
    field('iata', 'text', { is_primary_key: true }),
    field('state', 'text'),
    field('latitude', 'float'),
    field('longitude', 'float'),
    field('name', 'text'),
    field('city', 'text'),
    field('opened', 'date'),
    field('history', 'text'),
  ];
  const items = many(30, (index) => ({
    ...{ iata: `A${index}`, name: `Airport ${index}`, city: `City ${index}` },
    ...{ state: ['AK', 'TX'][index % 2], history: 'long '.repeat(40) },
  }));
  const columns = columnsOf(airports, items);
  t.strictSame(namesOf(columns), [
    ...['iata', 'name', 'state', 'city', 'opened', 'latitude', 'longitude'],
  ]);
  t.strictSame(
    columns.filter(({ isState }) => isState).map(({ field: one }) => one.field),
    ['state'],
  );

  const route: Relation = {
    ...{ collection: 'things', field: 'origin', related_collection: 'airports' },
    ...{ schema: { on_delete: 'NO ACTION' }, meta: null },
  };
  const routes = [
    ...[field('id', 'integer', KEY), field('count', 'integer'), field('origin', 'text')],
    field('destination', 'text'),
  ];
  t.strictSame(namesOf(columnsOf(routes, [], [route])), ['origin', 'count']);
  const flown = many(9, (index) => ({ destination: `D${index}` }));
  t.strictSame(namesOf(columnsOf(routes, flown, [route])), ['destination', 'origin', 'count']);
  t.strictSame(
    namesOf(columnsOf([field('id', 'integer', KEY)], [])),
    ['id'],
    'rather than nothing',
  );
  const wide = Array.from({ length: 30 }, (_, index) => field(`n${index}`, 'integer'));
  t.equal(columnsOf(wide, []).length, 8);
  t.end();
});

t.test('items are called after what names them', (t) => {
  const called = (...names: readonly string[]) => {
    const fields = [field('id', 'integer', KEY), ...names.map((name) => field(name, 'text'))];
    return templateOf(undefined, fields, NO_SHAPES);
  };
  t.equal(called('city', 'name'), '{{name}}');
  t.equal(called('Title', 'name'), '{{Title}}');
  t.equal(called('last_name', 'city', 'first_name'), '{{first_name}} {{last_name}}');
  t.equal(called('city', 'company_name'), '{{company_name}}');
  t.equal(called('contactName'), '{{contactName}}');
  t.equal(called('rename', 'email'), '{{email}}', 'not every word that ends so');
  t.equal(called('code'), '{{code}}');
  const sampled = [
    ...[field('id', 'integer', KEY), field('kind', 'text'), field('film', 'text')],
    field('plot', 'text'),
  ];
  const items = many(12, (index) => ({
    ...{ kind: 'a', film: `Film ${index}`, plot: `${index} plot `.repeat(30) },
  }));
  t.equal(templateOf(undefined, sampled, null), null, 'only a sample can tell');
  t.equal(templateOf(undefined, sampled, textShapes(sampledFields(sampled), items)), '{{film}}');
  t.equal(templateOf(undefined, sampled, NO_SHAPES), '{{kind}}', 'no item has a text yet');
  const long = textShapes(['plot'], items);
  t.equal(templateOf(undefined, [...sampled.slice(0, 1), ...sampled.slice(3)], long), '{{id}}');
  const lines = [
    field('order', 'integer', { is_primary_key: true }),
    field('product', 'integer', { is_primary_key: true }),
  ];
  t.equal(templateOf(undefined, lines, NO_SHAPES), '{{order}} · {{product}}');
  t.end();
});

t.test('texts are told apart by their values', (t) => {
  const shapes = textShapes(
    ['line', 'page', 'empty', 'state'],
    many(10, (index) => ({
      ...{ line: `a${index}`, page: 'a\nb', empty: index % 2 ? '' : null },
      ...{ state: index % 2 ? 'open' : 'closed' },
    })),
  );
  t.strictSame(shapes.get('empty'), { filled: 0, distinct: 0, longest: 0, hasLineBreaks: false });
  t.ok(isOneLine(field('line', 'text'), shapes.get('line')));
  t.notOk(isOneLine(field('page', 'text'), shapes.get('page')));
  t.notOk(isOneLine(field('remarks', 'text'), shapes.get('empty')));
  t.ok(isOneLine(field('city', 'text'), shapes.get('empty')), 'its name says so');
  t.ok(isOneLine(field('remarks', 'string', { max_length: 20 })));
  t.ok(isState(shapes.get('state')));
  t.notOk(isState(shapes.get('line')));
  t.notOk(isState(shapes.get('empty')));
  t.strictSame(
    sampledFields([
      ...[field('a', 'text'), field('n', 'integer'), field('html_body', 'text')],
      field('mood', 'text', { enum_values: ['a'] }),
    ]),
    ['a'],
  );
  t.end();
});
