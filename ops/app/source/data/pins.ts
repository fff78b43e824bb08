/**
 * What the caller has pinned: collections and items. It is kept with the account, as an item of
 * `system_presets` with a layout of its own.
 */
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { client } from './client.ts';
import { meQuery, useRights } from './queries.ts';
import { may } from './rights.ts';

export interface Pin {
  readonly collection: string;
  /** Of an item: its key, and what it was called when it was pinned. */
  readonly item?: { readonly key: string; readonly title: string };
}

interface Preset {
  readonly id: number;
  readonly layout_options: { readonly pins?: readonly Pin[] } | null;
}

interface KeptPins {
  /** Of the preset; null before there is one. */
  readonly id: number | null;
  readonly pins: readonly Pin[];
}

const LAYOUT = 'home';
const NO_PINS: readonly Pin[] = [];

const pinsQuery = queryOptions({
  queryKey: ['items', 'system_presets', 'pins'],
  queryFn: async ({ signal }): Promise<KeptPins> => {
    const filter = { user: { _eq: '$CURRENT_USER' }, layout: { _eq: LAYOUT } };
    const query = { fields: ['id', 'layout_options'], filter, sort: ['id'], limit: 1 };
    const [preset] = await client.request<Preset[]>('GET', '/presets', { query, signal });
    return { id: preset?.id ?? null, pins: preset?.layout_options?.pins ?? NO_PINS };
  },
  staleTime: Number.POSITIVE_INFINITY,
});

function isSame(one: Pin, other: Pin): boolean {
  return one.collection === other.collection && one.item?.key === other.item?.key;
}

/** The pins of the caller, and what pins and unpins; null where the caller may not keep any. */
export function usePins() {
  const queryClient = useQueryClient();
  const rights = useRights();
  const me = useQuery(meQuery).data;
  const kept = useQuery({ ...pinsQuery, enabled: may(rights, 'system_presets', 'read') }).data;
  const { mutate } = useMutation({
    // One after the other, each with the pins of its moment, so that there is one preset.
    scope: { id: 'pins' },
    mutationFn: async () => {
      const now = queryClient.getQueryData(pinsQuery.queryKey);
      if (now === undefined) return;
      const layout_options = { pins: now.pins };
      if (now.id !== null) {
        await client.presets.update(now.id, { layout_options }, { fields: ['id'] });
        return;
      }
      const preset = { user: me?.id ?? null, layout: LAYOUT, layout_options };
      const made = await client.presets.create(preset, { fields: ['id'] });
      const id = made === null ? null : Number(made.id);
      queryClient.setQueryData(pinsQuery.queryKey, (before) => before && { ...before, id });
    },
    onError: () => queryClient.invalidateQueries({ queryKey: pinsQuery.queryKey }),
  });
  const pins = kept?.pins ?? NO_PINS;
  const isPinned = (pin: Pin) => pins.some((known) => isSame(known, pin));
  const mayKeep = kept !== undefined && may(rights, 'system_presets', 'create');
  const toggle = async (pin: Pin) => {
    // An answer that is still on its way has the pins of before.
    await queryClient.cancelQueries({ queryKey: pinsQuery.queryKey });
    const { pins } = queryClient.getQueryData(pinsQuery.queryKey) ?? { pins: NO_PINS };
    const isPinned = pins.some((known) => isSame(known, pin));
    const next = isPinned ? pins.filter((known) => !isSame(known, pin)) : [...pins, pin];
    queryClient.setQueryData(pinsQuery.queryKey, (before) => before && { ...before, pins: next });
    mutate();
  };
  return { pins, isPinned, toggle: mayKeep ? toggle : null };
}
