/** The columns of a list in the Admin App: moved, kept in sight, hidden, and what is kept of them. */
import t from 'tap';
import {
  type Arrangement,
  hideColumn,
  moveColumn,
  NO_GRID,
  pinColumn,
  readGrid,
} from '#ops/app/source/list/grid.ts';
import { selectionOf } from '#ops/app/source/list/selection.ts';

const arranged = (names: string, pinned: number): Arrangement => ({
  names: names.split(' '),
  grid: { ...NO_GRID, pinned },
});
const told = ({ names, grid }: Arrangement) => `${names.join(' ')} ${grid.pinned}`;

t.test('columns are moved', (t) => {
  t.equal(told(moveColumn(arranged('a b c', 0), 0, 2)), 'b c a 0');
  t.equal(told(moveColumn(arranged('a b c', 1), 0, 2)), 'b c a 0', 'and leave those in sight');
  t.equal(told(moveColumn(arranged('a b c', 2), 2, 0)), 'c a b 3', 'or join them');
  t.equal(told(moveColumn(arranged('a b c', 2), 0, 1)), 'b a c 2');
  t.equal(told(moveColumn(arranged('a b c', 1), 0, -1)), 'a b c 1');
  t.equal(told(moveColumn(arranged('a b c', 1), 2, 3)), 'a b c 1');
  t.equal(told(pinColumn(arranged('a b c', 0), 2)), 'c a b 1');
  t.equal(told(pinColumn(arranged('a b c', 2), 0)), 'b a c 1');
  t.equal(told(hideColumn(arranged('a b c', 2), 1)), 'a c 1');
  t.equal(told(hideColumn(arranged('a b c', 2), 2)), 'a b 2');
  t.end();
});

t.test('what is kept is read with care', (t) => {
  t.strictSame(readGrid(undefined), NO_GRID);
  t.strictSame(readGrid({ widths: [1], pinned: -1, summaries: 'sum' }), NO_GRID);
  t.strictSame(
    readGrid({ widths: { a: 1, b: 200.4, c: 'wide' }, pinned: 2, summaries: { a: 'sum', b: 'x' } }),
    { widths: { a: 64, b: 200 }, pinned: 2, summaries: { a: 'sum' } },
  );
  t.end();
});

t.test('all that match are a query', (t) => {
  t.strictSame(selectionOf(['1', '2'], null), ['1', '2']);
  t.strictSame(selectionOf(['1'], { filter: null, search: '' }), { query: { limit: -1 } });
  t.strictSame(selectionOf([], { filter: { a: { _eq: 1 } }, search: 'x' }), {
    query: { filter: { a: { _eq: 1 } }, search: 'x', limit: -1 },
  });
  t.end();
});
