/** Reads and writes the bookmarks of a collection, which are items of `system_presets`. */
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { client } from '../data/client.ts';
import { meQuery, useIsAdministrator } from '../data/queries.ts';
import type { Filter, Item } from '../data/schema-types.ts';
import { sameValue } from '../data/values.ts';
import { isLayout, type Layout, NO_OPTIONS, readOptions } from '../views/layout.ts';
import { readGrid } from './grid.ts';
import type { Archive, ListState } from './list-state.ts';

export interface Bookmark {
  readonly id: number;
  readonly name: string;
  /** Whether others see it, too. */
  readonly shared: boolean;
  readonly state: Partial<ListState>;
}

interface LayoutQuery {
  readonly fields?: readonly string[];
  readonly sort?: readonly string[];
  readonly limit?: number;
  readonly archive?: Archive;
}

interface Preset {
  readonly id: number;
  readonly bookmark: string;
  readonly user: string | null;
  readonly layout: string | null;
  readonly search: string | null;
  readonly filter: Filter | null;
  readonly layout_query: Readonly<Record<string, LayoutQuery>> | null;
  readonly layout_options: Item | null;
}

interface NewBookmark {
  readonly name: string;
  readonly forAll: boolean;
  readonly state: ListState;
}

const FIELDS = ['id', 'bookmark', 'user', 'search', 'filter', 'layout'];
const FIELDS_OF_LAYOUT = ['layout_query', 'layout_options'];
const NO_PRESETS: readonly Preset[] = [];

function layoutOf({ layout }: Pick<Preset, 'layout'>): Layout {
  return isLayout(layout) ? layout : 'tabular';
}

function toBookmark(preset: Preset): Bookmark {
  const { id, bookmark, user, search, filter, layout_query, layout_options } = preset;
  const layout = layoutOf(preset);
  const { fields, sort, limit, archive } = layout_query?.[layout] ?? layout_query?.tabular ?? {};
  return {
    id,
    name: bookmark,
    shared: user === null,
    state: {
      bookmark: String(id),
      search: search ?? '',
      filter,
      sort: sort ?? [],
      archive: archive ?? 'active',
      layout,
      options: readOptions(layout_options?.[layout]),
      grid: readGrid(layout_options?.tabular),
      ...(fields !== undefined && { columns: fields }),
      ...(limit !== undefined && { limit }),
    },
  };
}

/** What is kept of a view. */
function contentOf(state: ListState) {
  const { search, filter, sort, limit, columns, archive, grid, layout, options } = state;
  const kind = layout ?? 'tabular';
  return {
    search: search === '' ? null : search,
    filter,
    layout: kind,
    layout_query: {
      [kind]: { sort, limit, archive, ...(columns !== null && { fields: columns }) },
    },
    layout_options: {
      tabular: grid,
      ...(options !== null && kind !== 'tabular' && { [kind]: options }),
    },
  };
}

/** Whether a list shows something else than the bookmark says. */
export function differs({ state: kept }: Bookmark, state: ListState): boolean {
  const told = ({ search, filter, sort, archive, columns, limit, ...view }: ListState) => [
    ...[search, filter, sort, archive, columns, limit],
    ...[view.layout ?? 'tabular', view.options ?? NO_OPTIONS, view.grid],
  ];
  return !sameValue(told(state), told({ ...state, ...kept }));
}

/** The bookmarks of a collection that are meant for the caller. */
export const presetsQuery = (collection: string) =>
  queryOptions({
    queryKey: ['items', 'system_presets', 'bookmarks', collection],
    queryFn: ({ signal }) => {
      // An administrator may read those of others, which are not meant for him.
      const seen = { _or: [{ user: { _eq: '$CURRENT_USER' } }, { user: { _null: true } }] };
      const named = { collection: { _eq: collection }, bookmark: { _nnull: true } };
      const filter = { ...named, ...seen };
      return client.request<Preset[]>('GET', '/presets', {
        query: { fields: [...FIELDS, ...FIELDS_OF_LAYOUT], filter, sort: ['bookmark'], limit: -1 },
        signal,
      });
    },
  });

/** The bookmarks of a collection, and what is done with them. */
export function useBookmarks(collection: string) {
  const queryClient = useQueryClient();
  const me = useQuery(meQuery).data;
  const administrator = useIsAdministrator();
  const query = presetsQuery(collection);
  const { data: presets = NO_PRESETS } = useQuery(query);
  const bookmarks = presets.map(toBookmark);
  const onSettled = () => queryClient.invalidateQueries({ queryKey: query.queryKey });
  const save = useMutation({
    mutationFn: async ({ name, forAll, state }: NewBookmark) => {
      const preset = {
        bookmark: name,
        collection,
        user: forAll ? null : (me?.id ?? null),
        ...contentOf(state),
      };
      const saved = await client.presets.create(preset, { fields: ['id'] });
      return saved === null ? null : String(saved.id);
    },
    onSettled,
  });
  const update = useMutation({
    mutationFn: ({ id, state }: { readonly id: number; readonly state: ListState }) =>
      client.presets.update(id, contentOf(state)),
    onSettled,
  });
  const rename = useMutation({
    mutationFn: ({ id, name }: { readonly id: number; readonly name: string }) =>
      client.presets.update(id, { bookmark: name }),
    onSettled,
  });
  const remove = useMutation({
    mutationFn: (id: number) => client.presets.delete(id),
    onSettled,
  });
  /** Whether it may be changed and deleted. */
  const mayChange = ({ shared }: Bookmark) => !shared || administrator;
  return { bookmarks, save, update, rename, remove, mayChange };
}
