/**
 * What is kept with the account of the caller beside the fields of the user: a value as an item of
 * `system_presets`, which has a layout of its own.
 */
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { client } from './client.ts';
import { meQuery, useRights } from './queries.ts';
import { may } from './rights.ts';

/** One kind of value that is kept. */
export interface KeptKind<T> {
  /** The layout of the preset, which tells it from all others. */
  readonly layout: string;
  /** The member of its options that has the value. */
  readonly member: string;
  /** The value before one is kept. */
  readonly none: T;
}

interface Preset<T> {
  readonly id: number;
  readonly layout_options: Readonly<Record<string, T | undefined>> | null;
}

interface Kept<T> {
  /** Of the preset; null before there is one. */
  readonly id: number | null;
  readonly value: T;
}

function keptQuery<T>({ layout, member, none }: KeptKind<T>) {
  return queryOptions({
    queryKey: ['items', 'system_presets', 'kept', layout],
    queryFn: async ({ signal }): Promise<Kept<T>> => {
      const filter = { user: { _eq: '$CURRENT_USER' }, layout: { _eq: layout } };
      const query = { fields: ['id', 'layout_options'], filter, sort: ['id'], limit: 1 };
      const [preset] = await client.request<Preset<T>[]>('GET', '/presets', { query, signal });
      return { id: preset?.id ?? null, value: preset?.layout_options?.[member] ?? none };
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The kept value, undefined until it is known, and what changes it; null where the caller may not. */
export function useKept<T>(kind: KeptKind<T>) {
  const query = keptQuery(kind);
  const queryClient = useQueryClient();
  const rights = useRights();
  const me = useQuery(meQuery).data;
  const kept = useQuery({ ...query, enabled: may(rights, 'system_presets', 'read') }).data;
  const { mutate } = useMutation({
    // One after the other, each with the value of its moment, so that there is one preset.
    scope: { id: kind.layout },
    mutationFn: async () => {
      const now = queryClient.getQueryData(query.queryKey);
      if (now === undefined) return;
      const layout_options = { [kind.member]: now.value };
      if (now.id !== null) {
        await client.presets.update(now.id, { layout_options }, { fields: ['id'] });
        return;
      }
      const preset = { user: me?.id ?? null, layout: kind.layout, layout_options };
      const made = await client.presets.create(preset, { fields: ['id'] });
      const id = made === null ? null : Number(made.id);
      queryClient.setQueryData(query.queryKey, (before) => before && { ...before, id });
    },
    onError: () => queryClient.invalidateQueries({ queryKey: query.queryKey }),
  });
  const keep = async (change: (value: T) => T) => {
    // An answer that is still on its way has the value of before.
    await queryClient.cancelQueries({ queryKey: query.queryKey });
    const value = change(queryClient.getQueryData(query.queryKey)?.value ?? kind.none);
    queryClient.setQueryData(query.queryKey, (before) => before && { ...before, value });
    mutate();
  };
  const mayKeep = kept !== undefined && may(rights, 'system_presets', 'create');
  return { value: kept?.value, keep: mayKeep ? keep : null };
}
