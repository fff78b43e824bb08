// @newest @quick
/** What the Admin App reads again when the rights of the caller change, and what it does not ask for. */
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import t from 'tap';
import { readWithin } from '#ops/app/source/data/read-within.ts';

const ALL = { access: 'full', fields: ['*'] } as const;
const RIGHTS = { article: { read: ALL } };

t.test('of a collection that is gone nothing is asked for once more', async (t) => {
  const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const asked: string[] = [];
  // As screens do that are open.
  const show = (...queryKey: readonly string[]) => {
    const queryFn = async () => asked.push(queryKey.join(' '));
    const observer = new QueryObserver(queryClient, {
      ...{ queryKey, queryFn, staleTime: Number.POSITIVE_INFINITY },
    });
    t.teardown(observer.subscribe(() => undefined));
    return queryKey;
  };
  const gone = [
    show('schema', 'fields', 'deleted'),
    show('items', 'deleted', 'list'),
    show('items', 'deleted', 'one', '1'),
  ];
  show('schema', 'collections');
  show('schema', 'relations');
  show('schema', 'fields', 'article');
  show('items', 'article', 'list');
  show('caller', 'globals');
  show('caller', 'me');
  await new Promise(setImmediate);
  t.equal(asked.splice(0).length, 9, 'each is read once');
  await readWithin(queryClient, RIGHTS);
  t.strictSame(asked.toSorted(), [
    'caller globals',
    'items article list',
    'schema collections',
    'schema fields article',
    'schema relations',
  ]);
  for (const queryKey of gone) {
    t.equal(queryClient.getQueryState(queryKey)?.isInvalidated, true, 'it is marked');
  }
  queryClient.clear();
});
