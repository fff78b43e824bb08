// @newest @quick
/** Permissions as sentences, in both languages: each reads in one way only. */
import Polyglot from 'node-polyglot';
import t from 'tap';
import type { Action } from '#ops/app/source/access/access-types.ts';
import { FULL_RULE, type Rule } from '#ops/app/source/access/permission-rules.ts';
import { sentencesOf } from '#ops/app/source/access/sentence.ts';
import type { Field, Relation } from '#ops/app/source/data/schema-types.ts';
import { isVariable, variableName } from '#ops/app/source/filter/variables.ts';
import { texts as german } from '#ops/app/source/translation/de/index.ts';
import { texts as english } from '#ops/app/source/translation/en/index.ts';

const field = (collection: string, name: string, type = 'string'): Field => ({
  ...{ collection, field: name, type, schema: null, meta: null },
});

const relation = (
  [collection, name]: readonly [string, string],
  related: string | null,
  meta: Partial<Relation['meta']> = {},
): Relation => ({
  ...{ collection, field: name, related_collection: related, schema: null },
  meta: {
    ...{ many_collection: collection, many_field: name, one_collection: related },
    ...{ one_field: null, one_collection_field: null, one_allowed_collections: null },
    ...{ junction_field: null, sort_field: null, one_deselect_action: 'nullify', ...meta },
  },
});

const FIELDS: readonly Field[] = [
  ...['title', 'body', 'status'].map((name) => field('article', name)),
  ...[field('article', 'author', 'uuid'), field('article', 'price', 'integer')],
  ...[field('article', 'comments', 'alias'), field('article', 'tags', 'alias')],
  ...[field('article', 'parts', 'alias'), field('article_part', 'item')],
  ...[field('comment', 'state'), field('comment', 'text'), field('comment', 'article', 'integer')],
  ...[field('tag', 'name'), field('article_tag', 'tag_id', 'integer')],
  ...[field('system_users', 'role', 'uuid'), field('system_users', 'last_name')],
  ...[field('system_roles', 'name'), field('image', 'width', 'integer')],
];

const RELATIONS: readonly Relation[] = [
  relation(['article', 'author'], 'system_users'),
  relation(['system_users', 'role'], 'system_roles'),
  relation(['comment', 'article'], 'article', { one_field: 'comments' }),
  relation(['article_tag', 'article_id'], 'article', {
    ...{ one_field: 'tags', junction_field: 'tag_id' },
  }),
  relation(['article_tag', 'tag_id'], 'tag', { junction_field: 'article_id' }),
  relation(['article_part', 'article_id'], 'article', {
    ...{ one_field: 'parts', junction_field: 'item' },
  }),
  relation(['article_part', 'item'], null, { one_allowed_collections: ['image'] }),
];

/** The sentences of a rule as a text; names stand between asterisks. */
function say(action: Action, rule: Partial<Rule>, locale: 'en' | 'de' = 'en'): string {
  const polyglot = new Polyglot({ locale, phrases: locale === 'en' ? english : german });
  const translate = (key: string, options?: Record<string, unknown>) => polyglot.t(key, options);
  const sentences = sentencesOf(
    'article',
    action,
    { ...FULL_RULE, ...rule },
    {
      ...{ translate, locale, label: locale === 'en' ? 'Articles' : 'Artikel' },
      relations: RELATIONS,
      fieldsOf: (name) => FIELDS.filter(({ collection }) => collection === name),
    },
  );
  const words = sentences.map((pieces) =>
    pieces
      .map((piece) => {
        if (typeof piece === 'string') return piece;
        if ('name' in piece) return `*${piece.name}*`;
        const { value } = piece;
        return isVariable(value) ? variableName(value, translate) : JSON.stringify(value);
      })
      .join(''),
  );
  return words.join(' ');
}

const where = (permissions: Rule['permissions'], locale: 'en' | 'de' = 'en') =>
  say('read', { permissions }, locale).replace(/^.*? (?:where|gilt:) (.*)\.$/, '$1');

t.test('what is allowed', async (t) => {
  t.equal(say('read', {}), 'May read all fields of all items of *Articles*.');
  t.equal(say('create', {}), 'May create *Articles* with all fields.');
  t.equal(say('delete', {}), 'May delete all items of *Articles*.');
  t.equal(
    say('update', { fields: ['title', 'body', 'gone'] }),
    'May update *Title*, *Body*, and *gone* of all items of *Articles*.',
  );
  t.equal(say('read', { fields: [] }), 'May read no fields of all items of *Articles*.');
  t.equal(say('read', {}, 'de'), 'Darf alle Felder aller Einträge von *Artikel* lesen.');
  t.equal(say('create', {}, 'de'), 'Darf *Artikel* mit allen Feldern anlegen.');
});

t.test('the whole of a rule', async (t) => {
  const rule = {
    fields: ['title', 'body'],
    permissions: { status: { _eq: 'draft' }, author: { _eq: '$CURRENT_USER' } },
    validation: { title: { _nempty: true } },
    presets: { status: 'draft', author: '$CURRENT_USER' },
  };
  t.equal(
    say('update', rule),
    'May update *Title* and *Body* of those items of *Articles* where *Status* is "draft" and ' +
      '*Author* is the current user. The result is stored only if *Title* is not empty. ' +
      '*Status* becomes "draft" unless given. *Author* becomes the current user unless given.',
  );
  t.equal(
    say('create', rule),
    'May create *Articles* with the fields *Title* and *Body*. The result is stored only if ' +
      '*Title* is not empty. *Status* starts as "draft" unless given. ' +
      '*Author* starts as the current user unless given.',
    'a new item has no condition',
  );
  t.equal(
    say('update', rule, 'de'),
    'Darf *Title* und *Body* der Einträge von *Artikel* ändern, für die gilt: ' +
      '*Status* ist "draft" und *Author* ist die angemeldete Person. ' +
      'Gespeichert wird nur, wenn gilt: *Title* ist nicht leer. ' +
      'Ohne Angabe wird *Status* so: "draft". Ohne Angabe wird *Author* so: die angemeldete Person.',
  );
  t.equal(say('delete', rule).split('. ').length, 1, 'nothing is stored when one deletes');
});

t.test('groups in groups stand in brackets', async (t) => {
  const a = { title: { _eq: 'a' } };
  const b = { title: { _eq: 'b' } };
  const c = { price: { _between: [1, 2] } };
  const [A, B, C] = ['*Title* is "a"', '*Title* is "b"', '*Price* is between 1 and 2'];
  t.equal(where({ _or: [a, { _and: [b, c] }] }), `${A} or (${B} and ${C})`);
  t.equal(where({ _and: [a, { _or: [b, c] }] }), `${A} and (${B} or ${C})`);
  t.equal(where({ ...a, _or: [b, c] }), `${A} and (${B} or ${C})`);
  t.equal(where({ _and: [{ _or: [a] }, b] }), `${A} and ${B}`, 'one alone needs none');
  t.equal(
    where({ price: { _gte: 1, _lt: 9 } }),
    '*Price* is at least 1 and *Price* is less than 9',
  );
});

t.test('related items', async (t) => {
  const open = { state: { _eq: 'open' } };
  const text = { text: { _empty: false } };
  t.equal(where({ author: { last_name: { _eq: 'X' } } }), '*Author › Last Name* is "X"');
  t.equal(
    where({ author: { role: { name: { _in: ['a', 'b'] } } } }),
    '*Author › Role › Name* is one of "a", "b"',
  );
  t.equal(
    where({ author: { _or: [{ last_name: { _eq: 'X' } }, { role: { _null: true } }] } }),
    '*Author › Last Name* is "X" or *Author › Role* has no value',
    'a group within a relation',
  );
  const some = 'for at least one of *Comments*: ';
  t.equal(
    where({ comments: { _some: { ...open, ...text } } }),
    `${some}(*State* is "open" and *Text* is not empty)`,
    'of the same item',
  );
  t.equal(
    where({ comments: { ...open, ...text } }),
    `(${some}*State* is "open") and (${some}*Text* is not empty)`,
    'without a quantifier each may be of another item',
  );
  t.equal(where({ comments: { _none: open } }), 'for none of *Comments*: *State* is "open"');
  t.equal(
    where({ _and: [{ comments: { _none: open } }, { status: { _eq: 'x' } }] }),
    '(for none of *Comments*: *State* is "open") and *Status* is "x"',
    'where the condition on the comments ends can be seen',
  );
  t.equal(
    where({ tags: { _some: { tag_id: { name: { _eq: 'a' } } } } }),
    'for at least one of *Tags*: *Name* is "a"',
    'without the junction',
  );
  t.equal(
    where({ parts: { _some: { 'item:image': { width: { _gt: 9 } } } } }),
    'for at least one of *Parts*: *Item (image) › Width* is more than 9',
  );
  t.equal(where({ 'count(comments)': { _gt: 2 } }), 'the number of *Comments* is more than 2');
  t.equal(
    where({ comments: { _none: open } }, 'de'),
    'für keinen Eintrag von *Comments* gilt: *State* ist "open"',
  );
});

t.test('what is not known is said as it is written', async (t) => {
  t.equal(where({ title: { _sounds: 'x' } }), '{"Title":{"_sounds":"x"}}');
  t.equal(where({ gone: { _eq: 1 } }), '*gone* is 1');
  t.equal(where({ price: 5 }), '*Price* is 5', 'a value alone is a comparison');
  t.equal(where({ title: { _null: false } }), '*Title* has a value');
});
