/** How many jobs of a queue each worker does at once: as configured, or a number that holds from now on. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Queue } from '../../../client/source/index.ts';
import { client } from '../data/client.ts';
import { formatNumber } from '../display/format.ts';
import { NativeSelect } from '../shell/native-select.tsx';
import { notify, notifyFailure } from '../shell/notify.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { queuesQuery } from './queue-query.ts';

const OFFERED = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 100];

export function QueueConcurrency({ queue }: { readonly queue: Queue }) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const queries = useQueryClient();
  const { name, concurrency } = queue;
  const limit = useMutation({
    mutationFn: (wanted: number | null) => client.queues.limit(name, wanted),
    onSuccess: () => notify('operations.limited', { type: 'success' }),
    onError: (error) => notifyFailure(error, translate),
    onSettled: () => queries.invalidateQueries({ queryKey: queuesQuery.queryKey, exact: true }),
  });
  // Changes of the data model run one at a time.
  if (name === 'schema') return null;
  const shown = limit.isPending ? limit.variables : concurrency;
  const numbers = new Set(concurrency === null ? OFFERED : [...OFFERED, concurrency]);
  return (
    <NativeSelect
      label={translate('operations.concurrency')}
      value={shown ?? ''}
      disabled={limit.isPending}
      onChange={({ target }) => limit.mutate(target.value === '' ? null : Number(target.value))}
      sx={{ mt: 2, maxWidth: 260 }}
    >
      <option value="">{translate('operations.asConfigured')}</option>
      {[...numbers]
        .sort((one, other) => one - other)
        .map((number) => (
          <option key={number} value={number}>
            {formatNumber(number, locale)}
          </option>
        ))}
    </NativeSelect>
  );
}
