// @newest @quick
/** The data model as a graph: cards, edges, junctions as edges, and where the arrow keys lead. */
import t from 'tap';
import type { Collection, Field, Relation } from '#ops/app/source/data/schema-types.ts';
import { type Model, type PictureOptions, pictureOf } from '#ops/app/source/model/picture/graph.ts';
import { plainRoute, roundPath } from '#ops/app/source/model/picture/path.ts';
import { stepFrom } from '#ops/app/source/model/picture/walk.ts';

function collection(name: string): Collection {
  return { collection: name, meta: null, schema: { name, primary_key: ['id'] } };
}

function field(owner: string, name: string, rest: Partial<Field['schema']> = {}): Field {
  const column = { is_nullable: true, is_primary_key: name === 'id', default_value: null };
  return {
    ...{ collection: owner, field: name, type: 'integer', meta: null },
    schema: {
      ...{ name, table: owner, data_type: 'integer', max_length: null, comment: null },
      ...{ numeric_precision: null, numeric_scale: null, is_unique: false, is_indexed: false },
      ...{ has_auto_increment: name === 'id', foreign_key_table: null, foreign_key_column: null },
      ...{ ...column, ...rest },
    },
  };
}

function list(owner: string, name: string): Field {
  return { collection: owner, field: name, type: 'alias', schema: null, meta: null };
}

function relation(
  [owner, name]: readonly [string, string],
  related: string | null,
  meta: Partial<Relation['meta']> = {},
): Relation {
  const none = { one_field: null, one_collection_field: null, one_allowed_collections: null };
  return {
    ...{ collection: owner, field: name, related_collection: related, schema: null },
    meta: {
      ...{ many_collection: owner, many_field: name, one_collection: related, ...none },
      ...{ junction_field: null, sort_field: null, one_deselect_action: 'nullify', ...meta },
    },
  };
}

const NAMES = [
  'book',
  'publisher',
  'tag',
  'book_tag',
  'page',
  'page_part',
  'system_users',
  'alone',
];

const MODEL: Model = {
  collections: new Map<string, Collection>([
    ...NAMES.map((name) => [name, collection(name)] as const),
    ['folder', { collection: 'folder', meta: null, schema: null }],
  ]),
  fields: [
    ...NAMES.map((name) => field(name, 'id', { is_nullable: false })),
    ...[field('book', 'title', { is_nullable: false }), field('book', 'pages')],
    ...[field('book', 'publisher'), field('book', 'owner'), list('book', 'tags')],
    ...[list('publisher', 'books'), list('page', 'parts'), list('book', 'divider')],
    ...[field('book_tag', 'book_id'), field('book_tag', 'tag_id')],
    ...[field('page_part', 'page_id'), field('page_part', 'item')],
    { ...field('page_part', 'collection'), type: 'string' },
  ],
  relations: [
    relation(['book', 'publisher'], 'publisher', { one_field: 'books' }),
    relation(['book', 'owner'], 'system_users'),
    relation(['book_tag', 'book_id'], 'book', { one_field: 'tags', junction_field: 'tag_id' }),
    relation(['book_tag', 'tag_id'], 'tag', { junction_field: 'book_id' }),
    relation(['page_part', 'page_id'], 'page', { one_field: 'parts', junction_field: 'item' }),
    relation(['page_part', 'item'], null, {
      ...{ junction_field: 'page_id', one_collection_field: 'collection' },
      one_allowed_collections: ['book', 'tag'],
    }),
  ],
};

const OPTIONS: PictureOptions = {
  ...{ locale: 'en', withSystem: false, withJunctions: false, allFields: false, focus: null },
  expanded: new Set(),
};

const edgesOf = (options: Partial<PictureOptions> = {}) =>
  pictureOf(MODEL, { ...OPTIONS, ...options }).edges.map(
    ({ kind, from, to, through }) =>
      `${from.collection}.${from.field} ${kind} ${to.collection}.${to.field}${
        through === null ? '' : ` by ${through}`
      }`,
  );
const cardsOf = (options: Partial<PictureOptions> = {}) =>
  pictureOf(MODEL, { ...OPTIONS, ...options }).cards.map(({ collection: name }) => name);
const rowsOf = (name: string, options: Partial<PictureOptions> = {}) => {
  const { cards } = pictureOf(MODEL, { ...OPTIONS, ...options });
  const card = cards.find(({ collection: known }) => known === name);
  return { rows: card?.rows.map(({ field: known }) => known), hidden: card?.hidden };
};

t.test('relations are edges from field to field, and a junction is one edge', async (t) => {
  t.strictSame(edgesOf(), [
    'book.publisher o2m publisher.books',
    'book.tags m2m tag.id by book_tag',
    'page.parts m2a book.id by page_part',
    'page.parts m2a tag.id by page_part',
  ]);
  t.strictSame(cardsOf(), ['book', 'publisher', 'tag', 'page', 'alone'], 'no folders');
});

t.test('a junction is a collection on request', async (t) => {
  t.strictSame(edgesOf({ withJunctions: true }), [
    'book.publisher o2m publisher.books',
    'book_tag.book_id o2m book.tags',
    'book_tag.tag_id m2o tag.id',
    'page_part.page_id o2m page.parts',
    'page_part.item m2a book.id',
    'page_part.item m2a tag.id',
  ]);
  t.ok(cardsOf({ withJunctions: true }).includes('book_tag'));
});

t.test('a junction that is referred to, or refers to a third, is no mere edge', async (t) => {
  const third = relation(['book_tag', 'extra'], 'alone');
  const model = { ...MODEL, relations: [...MODEL.relations, third] };
  const { cards } = pictureOf(model, OPTIONS);
  t.ok(cards.some(({ collection: name }) => name === 'book_tag'));
  const back = { ...MODEL, relations: [...MODEL.relations, relation(['alone', 'x'], 'book_tag')] };
  t.ok(pictureOf(back, OPTIONS).cards.some(({ collection: name }) => name === 'book_tag'));
});

t.test('system collections are shown on request', async (t) => {
  t.notOk(cardsOf().includes('system_users'));
  t.ok(edgesOf({ withSystem: true }).includes('book.owner m2o system_users.id'));
});

t.test('a card has its key, what is required, and relations; the rest on demand', async (t) => {
  const few = ['id', 'title', 'publisher', 'owner', 'tags'];
  t.strictSame(rowsOf('book'), { rows: few, hidden: 1 }, 'a line of a form is no field');
  const all = ['id', 'title', 'pages', 'publisher', 'owner', 'tags'];
  t.strictSame(rowsOf('book', { allFields: true }), { rows: all, hidden: 0 });
  t.strictSame(rowsOf('book', { expanded: new Set(['book']) }), { rows: all, hidden: 0 });
});

t.test('one collection with its neighbours', async (t) => {
  t.strictSame(cardsOf({ focus: 'tag' }), ['book', 'tag', 'page']);
  t.strictSame(
    edgesOf({ focus: 'tag' }),
    ['book.tags m2m tag.id by book_tag', 'page.parts m2a tag.id by page_part'],
    'without the relations between the neighbours',
  );
  t.strictSame(cardsOf({ focus: 'book_tag' }), ['book', 'tag', 'book_tag'], 'a junction, too');
  t.ok(cardsOf({ focus: 'system_users' }).includes('system_users'), 'and a system collection');
  t.strictSame(cardsOf({ focus: 'gone' }), cardsOf(), 'one that is gone is none');
});

t.test('arrow keys follow edges, and lead elsewhere where there is none', async (t) => {
  const { edges } = pictureOf(MODEL, OPTIONS);
  const places = new Map([
    ['book', { x: 0, y: 0 }],
    ['publisher', { x: 900, y: 300 }],
    ['alone', { x: 300, y: 10 }],
    ['page', { x: -400, y: 0 }],
  ]);
  t.equal(stepFrom('book', 'ArrowRight', edges, places), 'publisher', 'the related one');
  t.equal(stepFrom('publisher', 'ArrowLeft', edges, places), 'book');
  t.equal(stepFrom('alone', 'ArrowLeft', edges, places), 'book', 'the nearest without a relation');
  t.equal(stepFrom('page', 'ArrowLeft', edges, places), null);
});

t.test('lines have round corners, and go around when cards were moved', async (t) => {
  const corner = [
    { x: 0, y: 0 },
    { x: 100, y: 0 },
    { x: 100, y: 100 },
  ];
  t.equal(roundPath(corner), 'M 0 0 L 92 0 Q 100 0 100 8 L 100 100');
  t.equal(roundPath([]), '');
  const back = plainRoute({ x: 200, y: 0 }, { x: 0, y: 100 });
  t.strictSame(back.at(0), { x: 200, y: 0 });
  t.strictSame(back.at(-1), { x: 0, y: 100 });
  t.ok((back[1]?.x ?? 0) > 200, 'it leaves to the right');
});
