/** Puts items into the archive or takes them out of it, and gives each its former value when that is undone. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client } from '../data/client.ts';
import { keyFields, keyFromText, keyOf } from '../data/item-key.ts';
import type { Collection, Field } from '../data/schema-types.ts';
import { notify, notifyFailure } from '../shell/notify.ts';
import { useTranslate } from '../translation/use-translate.ts';
import { archiveValues } from './archive.ts';
import { filterOf } from './selection.ts';

interface Archiving {
  readonly keys: readonly string[];
  readonly value: unknown;
}

/** The keys of the items by the value that they had. */
type Former = ReadonlyMap<unknown, readonly string[]>;

export function useArchive(
  collection: Collection,
  fields: readonly Field[],
  onDone: (undo: () => void) => Promise<void>,
) {
  const translate = useTranslate();
  const queryClient = useQueryClient();
  const name = collection.collection;
  const field = archiveValues(collection)?.field ?? '';
  const items = client.items(name);
  const write = (keys: readonly string[], value: unknown) =>
    items.updateMany(keys.map(keyFromText), { [field]: value }, { limit: 1 });
  const undo = async (former: Former) => {
    try {
      for (const [value, keys] of former) await write(keys, value);
      const messageArgs = { smart_count: [...former.values()].flat().length };
      notify('list.changed', { type: 'success', messageArgs });
    } catch (error) {
      notifyFailure(error, translate);
    }
    await queryClient.invalidateQueries({ queryKey: ['items', name] });
  };
  return useMutation({
    mutationFn: async ({ keys, value }: Archiving): Promise<Former> => {
      const before = await items.list({
        fields: [...keyFields(fields), field],
        filter: filterOf(fields, keys),
        limit: -1,
      });
      await write(keys, value);
      const grouped = Map.groupBy(before, (item) => item[field]);
      return new Map(
        [...grouped].map(([former, list]) => [
          former,
          list.flatMap((item) => keyOf(fields, item) ?? []),
        ]),
      );
    },
    onSuccess: (former) => onDone(() => void undo(former)),
    onError: (error) => notifyFailure(error, translate),
  });
}
