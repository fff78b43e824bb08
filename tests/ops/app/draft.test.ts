// @newest @quick
/** What of a form was changed while it was being saved. */
import t from 'tap';
import { changesSince } from '#ops/app/source/draft/changes.ts';

const base = { title: 'A', body: null, picture: null };

t.test('what is typed while a form is saved is kept', async (t) => {
  t.strictSame(changesSince(base, { title: 'B' }, { title: 'B' }), {}, 'all is saved');
  t.strictSame(changesSince(base, { title: 'B' }, { title: 'BC' }), { title: 'BC' });
  t.strictSame(changesSince(base, { title: 'B' }, { title: 'B', body: 'x' }), { body: 'x' });
  const undone = changesSince(base, { picture: 'key', title: 'B' }, { title: 'B' });
  t.strictSame(undone, { picture: null }, 'what was taken back is a change by now');
  const emptied = changesSince({}, { title: 'B', author: { name: 'One' } }, {});
  t.strictSame(emptied, { title: null, author: null }, 'of a new item, too');
});

t.test('related items that were sent are not made again', async (t) => {
  const one = { name: 'One' };
  const two = { name: 'Two' };
  const since = (sent: object, now: object) => changesSince(base, { rows: sent }, { rows: now });
  t.strictSame(since({ create: [one] }, { create: [one] }), {});
  t.strictSame(since({ create: [one] }, { create: [one, two], delete: [3] }), {
    rows: { create: [two], delete: [3] },
  });
  t.strictSame(since({ create: [one] }, { create: [{ name: 'One!' }] }), {});
  t.strictSame(since({ update: [{ id: 1, name: 'x' }] }, { update: [{ id: 1, name: 'xy' }] }), {
    rows: { update: [{ id: 1, name: 'xy' }] },
  });
  t.strictSame(changesSince(base, { rows: { create: [one] } }, {}), {}, 'it is stored');
  const author = (sent: unknown, now: unknown) =>
    changesSince(base, { author: sent }, { author: now });
  t.strictSame(author(one, two), {});
  t.strictSame(author(one, 7), { author: 7 });
  t.strictSame(author(7, one), { author: one });
});
