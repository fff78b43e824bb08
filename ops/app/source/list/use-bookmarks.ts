/** Reads and writes the bookmarks of a collection, which are items of `system_presets`. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { client } from '../data/client.ts';
import { meQuery, useIsAdministrator } from '../data/queries.ts';
import type { Filter } from '../data/schema-types.ts';
import { readGrid } from './grid.ts';
import type { Archive, ListState } from './list-state.ts';

export interface Bookmark {
  readonly id: number;
  readonly name: string;
  /** Whether others see it, too. */
  readonly shared: boolean;
  readonly state: Partial<ListState>;
}

interface Preset {
  readonly id: number;
  readonly bookmark: string;
  readonly user: string | null;
  readonly search: string | null;
  readonly filter: Filter | null;
  readonly layout_query: {
    readonly tabular?: {
      readonly fields?: readonly string[];
      readonly sort?: readonly string[];
      readonly limit?: number;
      readonly archive?: Archive;
    };
  } | null;
  readonly layout_options: { readonly tabular?: unknown } | null;
}

interface NewBookmark {
  readonly name: string;
  readonly forAll: boolean;
  readonly state: ListState;
}

const FIELDS = ['id', 'bookmark', 'user', 'search', 'filter', 'layout_query', 'layout_options'];

function toBookmark(preset: Preset): Bookmark {
  const { id, bookmark, user, search, filter, layout_query, layout_options } = preset;
  const { fields, sort, limit, archive } = layout_query?.tabular ?? {};
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
      grid: readGrid(layout_options?.tabular),
      ...(fields !== undefined && { columns: fields }),
      ...(limit !== undefined && { limit }),
    },
  };
}

/** What is kept of a view. */
function contentOf({ search, filter, sort, limit, columns, archive, grid }: ListState) {
  return {
    search: search === '' ? null : search,
    filter,
    layout_query: {
      tabular: { sort, limit, archive, ...(columns !== null && { fields: columns }) },
    },
    layout_options: { tabular: grid },
  };
}

export function useBookmarks(collection: string) {
  const queryClient = useQueryClient();
  const me = useQuery(meQuery).data;
  const administrator = useIsAdministrator();
  const queryKey = ['items', 'system_presets', 'bookmarks', collection];
  const { data: bookmarks = [] } = useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      // An administrator may read those of others, which are not meant for him.
      const seen = { _or: [{ user: { _eq: '$CURRENT_USER' } }, { user: { _null: true } }] };
      const filter = { collection: { _eq: collection }, bookmark: { _nnull: true }, ...seen };
      const presets = await client.request<Preset[]>('GET', '/presets', {
        query: { fields: FIELDS, filter, sort: ['bookmark'], limit: -1 },
        signal,
      });
      return presets.map(toBookmark);
    },
  });
  const onSettled = () => queryClient.invalidateQueries({ queryKey });
  const save = useMutation({
    mutationFn: async ({ name, forAll, state }: NewBookmark) => {
      const preset = {
        bookmark: name,
        collection,
        user: forAll ? null : (me?.id ?? null),
        layout: 'tabular',
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
