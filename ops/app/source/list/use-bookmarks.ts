/**
 * Reads and writes the views of a collection, which are items of `system_presets`: bookmarks, and how the
 * user has left it.
 */
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { client } from '../data/client.ts';
import { meQuery, useIsAdministrator } from '../data/queries.ts';
import type { Filter, Item } from '../data/schema-types.ts';
import { isItem, sameValue } from '../data/values.ts';
import {
  isLayout,
  type Layout,
  type LayoutOptions,
  NO_OPTIONS,
  readOptions,
} from '../views/layout.ts';
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
  /** Null for how the user has left the collection. */
  readonly bookmark: string | null;
  readonly user: string | null;
  readonly role: string | null;
  readonly layout: string | null;
  readonly search: string | null;
  readonly filter: Filter | null;
  readonly layout_query: Readonly<Record<string, LayoutQuery>> | null;
  readonly layout_options: Item | null;
}

/** A view that a user has left, or that an administrator has chosen for everybody. */
export interface RememberedView {
  /** Of the own preset; null where there is none yet. */
  readonly id: number | null;
  readonly layout: Layout;
  /** The options of each view. */
  readonly options: Item;
}

interface NewBookmark {
  readonly name: string;
  readonly forAll: boolean;
  readonly state: ListState;
}

interface LeftView {
  readonly layout: Layout;
  readonly options: LayoutOptions;
}

const FIELDS = ['id', 'bookmark', 'user', 'role', 'search', 'filter', 'layout'];
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
    name: bookmark ?? '',
    shared: user === null,
    state: {
      bookmark: String(id),
      search: search ?? '',
      filter,
      sort: sort ?? [],
      archive: archive ?? 'active',
      layout,
      options: readOptions(layout_options?.[layout]),
      ...(fields !== undefined && { columns: fields }),
      ...(limit !== undefined && { limit }),
    },
  };
}

/** What is kept of a view. */
function contentOf({ search, filter, sort, limit, columns, archive, layout, options }: ListState) {
  const kind = layout ?? 'tabular';
  return {
    search: search === '' ? null : search,
    filter,
    layout: kind,
    layout_query: {
      [kind]: { sort, limit, archive, ...(columns !== null && { fields: columns }) },
    },
    layout_options: options === null ? null : { [kind]: options },
  };
}

/** Whether a list shows something else than the bookmark says. */
export function differs({ state: kept }: Bookmark, state: ListState): boolean {
  const told = ({ search, filter, sort, archive, columns, limit, ...view }: ListState) => [
    ...[search, filter, sort, archive, columns, limit],
    ...[view.layout ?? 'tabular', view.options ?? NO_OPTIONS],
  ];
  return !sameValue(told(state), told({ ...state, ...kept }));
}

/** The presets of a collection that are meant for the caller. */
export const presetsQuery = (collection: string) =>
  queryOptions({
    queryKey: ['items', 'system_presets', 'views', collection],
    queryFn: ({ signal }) => {
      // An administrator may read those of others, which are not meant for him.
      const seen = { _or: [{ user: { _eq: '$CURRENT_USER' } }, { user: { _null: true } }] };
      const filter = { collection: { _eq: collection }, ...seen };
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
  const bookmarks = presets.filter(({ bookmark }) => bookmark !== null).map(toBookmark);
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

/** How the user has left a collection; null while that is read. `remember` keeps another view. */
export function useRememberedView(collection: string) {
  const queryClient = useQueryClient();
  const me = useQuery(meQuery).data;
  const query = presetsQuery(collection);
  const { data: presets, isPending } = useQuery(query);
  const unnamed = (presets ?? NO_PRESETS).filter(({ bookmark }) => bookmark === null);
  const own = unnamed.find(({ user }) => user !== null);
  const left = own ?? unnamed.find(({ role }) => role === null);
  const view: RememberedView | null = isPending
    ? null
    : {
        id: own?.id ?? null,
        layout: left === undefined ? 'tabular' : layoutOf(left),
        options: left?.layout_options ?? {},
      };
  const { mutate: remember } = useMutation({
    // One after the other, so that the second change finds the preset of the first.
    scope: { id: `view of ${collection}` },
    mutationFn: async ({ layout, options }: LeftView) => {
      const known = queryClient.getQueryData(query.queryKey) ?? NO_PRESETS;
      const mine = known.find(({ bookmark, user }) => bookmark === null && user !== null);
      const before = isItem(mine?.layout_options) ? mine.layout_options : {};
      const content = { layout, layout_options: { ...before, [layout]: options } };
      if (mine !== undefined) await client.presets.update(mine.id, content);
      else await client.presets.create({ collection, user: me?.id ?? null, ...content });
      await queryClient.invalidateQueries({ queryKey: query.queryKey });
    },
  });
  return { view, remember };
}
