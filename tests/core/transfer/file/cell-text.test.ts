// @newest @quick

import t from 'tap';
import { parseExactJson } from '#core/base/json/exact-json.ts';
import { cellText, MisplacedValue, valueText } from '#core/transfer/file/cell-text.ts';

const field = { column: { elementType: null, typeName: 'text' } };
const plain = { form: 'plain', field } as const;
const json = { form: 'json', field } as const;
const array = { form: 'array', field } as const;
const list = { form: 'list', field } as const;

t.test('a cell that is JSON, but not a number, is that value', async (t) => {
  t.equal(cellText('null', plain), null);
  t.equal(cellText(' null ', json), null);
  t.equal(cellText('"x"', plain), 'x');
  t.equal(cellText('""', plain), '', 'the notation of an empty text');
  t.equal(cellText('"a\\nb"', plain), 'a\nb');
  t.equal(cellText('"x" y', plain), '"x" y');
  t.equal(cellText(' true', plain), 'true');
  t.equal(cellText('007', plain), '007');
  t.equal(cellText(' 7 ', plain), ' 7 ');
  t.equal(cellText('nullable', plain), 'nullable');
  t.equal(cellText('NULL', plain), 'NULL');
});

t.test('lists and objects stay text unless the field has a form for them', async (t) => {
  t.equal(cellText('[1,2]', plain), '[1,2]');
  t.equal(cellText('{"a": 1}', json), '{"a": 1}');
  t.equal(cellText('"x"', json), '"x"');
  t.equal(cellText('["a","b,c",null,"d\\"e"]', array), '{"a","b,c",NULL,"d\\"e"}');
  t.equal(
    cellText('[[1,2],[3,12345678901234567890]]', array),
    '{{"1","2"},{"3","12345678901234567890"}}',
  );
  t.equal(cellText('{1,2}', array), '{1,2}', "PostgreSQL's own form");
  t.equal(cellText('[2:3]={1,2}', array), '[2:3]={1,2}');
  t.equal(cellText('["a","b",3]', list), 'a,b,3');
  t.equal(cellText('a,b', list), 'a,b');
});

t.test('a JSON value is converted to the form of its field', async (t) => {
  t.equal(valueText('x', plain), 'x');
  t.equal(valueText(true, plain), 'true');
  t.equal(valueText(1.5, plain), '1.5');
  t.equal(valueText(parseExactJson('12345678901234567890'), plain), '12345678901234567890');
  t.equal(valueText('x', json), '"x"');
  t.equal(valueText({ a: [1] }, json), '{"a":[1]}');
  t.equal(valueText(['a', null], array), '{"a",NULL}');
  t.equal(valueText('{a}', array), '{a}');
  t.equal(valueText(['a', 2, null], list), 'a,2,');
  t.throws(() => valueText({ a: 1 }, plain), MisplacedValue);
  t.throws(() => valueText([1], plain), MisplacedValue);
  t.throws(() => valueText({ a: 1 }, array), MisplacedValue);
});
