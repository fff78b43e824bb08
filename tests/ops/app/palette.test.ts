// @newest @quick
/** The command palette and the home of the Admin App: what fits, what is recent, and what changed. */
import t from 'tap';
import { withVisit } from '../../../ops/app/source/data/visit.ts';
import { changesByDay, DAYS } from '../../../ops/app/source/home/day-counts.ts';
import { troublesOf } from '../../../ops/app/source/operations/trouble.ts';
import { type Entry, fittingEntries } from '../../../ops/app/source/palette/entry.ts';
import { matchScore } from '../../../ops/app/source/palette/match.ts';

const best = (typed: string, texts: readonly string[]) =>
  texts
    .filter((text) => matchScore(typed, text) > 0)
    .toSorted((one, other) => matchScore(typed, other) - matchScore(typed, one));

t.test('every word that is typed has to fit, in any order', async (t) => {
  t.strictSame(best('poems coll', ['Collected Poems', 'Poems', 'Collection']), ['Collected Poems']);
  t.strictSame(best('poem', ['Prose and poems', 'Poems', 'Letters']), ['Poems', 'Prose and poems']);
  t.strictSame(best('book', ['Notebook', 'Book reviews', 'Book']), [
    ...['Book', 'Book reviews', 'Notebook'],
  ]);
  t.strictSame(best('ol', ['Order lines', 'Poland']), ['Poland', 'Order lines']);
  t.strictSame(best('pblshr', ['Publisher', 'Shrub']), ['Publisher']);
  t.strictSame(best('muller', ['Müller', 'Miller']), ['Müller']);
  t.strictSame(best('???', ['Anything']), ['Anything'].slice(1), 'signs alone fit nothing');
});

t.test('the group with the best entry comes first', async (t) => {
  const entry = (group: Entry['group'], title: string, rest: Partial<Entry> = {}): Entry => ({
    ...{ id: `${group} ${title}`, group, title, icon: null },
    ...rest,
  });
  const entries = [
    entry('recent', 'Book: Poems', { atOnce: true }),
    entry('collections', 'Notebook'),
    entry('collections', 'Visit', { words: 'book_visit' }),
    entry('items', 'Poems', { isFound: true }),
    entry('actions', 'Sign out', { atOnce: true }),
  ];
  const titles = (typed: string) => fittingEntries(entries, typed).map(({ title }) => title);
  t.strictSame(titles(' '), ['Book: Poems', 'Sign out'], 'before something is typed');
  t.strictSame(titles('notebook'), ['Notebook', 'Poems']);
  t.strictSame(titles('book'), ['Book: Poems', 'Visit', 'Notebook', 'Poems']);
  t.strictSame(titles('sign'), ['Sign out', 'Poems'], 'found items fit by what the server knows');
  const many = Array.from({ length: 20 }, (_, n) => entry('collections', `Thing ${n}`));
  t.equal(fittingEntries(many, 'thing').length, 6);
});

t.test('a screen stands once among the recent ones', async (t) => {
  const visit = (n: number) => ({ path: `/${n}`, title: `${n}` });
  const visits = [1, 2, 3, 1].reduce<ReturnType<typeof withVisit>>(
    (known, n) => withVisit(known, visit(n)),
    [],
  );
  t.strictSame(visits, [visit(1), visit(3), visit(2)]);
  const many = Array.from({ length: 40 }, (_, n) => visit(n)).reduce<ReturnType<typeof withVisit>>(
    withVisit,
    [],
  );
  t.equal(many.length, 24);
});

t.test('changes by day end with today', async (t) => {
  const row = (day: number, count: number) => ({
    ...{
      collection: 'book',
      timestamp_year: '2026',
      timestamp_month: '3',
      timestamp_day: `${day}`,
    },
    count: `${count}`,
  });
  const days = changesByDay([row(1, 2), row(14, 5), row(28, 9)], Date.UTC(2026, 2, 14, 23, 59));
  const zeros = Array.from({ length: DAYS - 2 }, () => 0);
  t.strictSame(days.get('book'), [2, ...zeros, 5], 'a day outside of them counts nothing');
});

t.test('troubles are the checks that are not well, the worst first', async (t) => {
  const checks = {
    'pg:responseTime': [{ status: 'ok' }],
    'workers:live': [{ status: 'warn', output: 'No worker is alive' }],
    'queue:waiting': [
      { status: 'warn', componentId: 'transfer' },
      { status: 'warn', componentId: 'schema' },
      { status: 'warn', componentId: 'schema', observedUnit: 's' },
    ],
    'storage:local:writable': [{ status: 'error', output: 'The disk is full' }],
  };
  const troubles = troublesOf(checks, (queue) => queue === 'transfer');
  t.strictSame(
    troubles.map(({ check, reason }) => [check.name, check.component, reason]),
    [
      ['storage:local:writable', '', 'The disk is full'],
      ['workers:live', '', 'No worker is alive'],
      ['queue:waiting', 'schema', ''],
    ],
  );
});
