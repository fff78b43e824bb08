/** Asks before a field is deleted, and says how many items have a value in it. */
import Alert from '@mui/material/Alert';
import { useQuery } from '@tanstack/react-query';
import type { Field } from '../data/schema-types.ts';
import { formatNumber } from '../display/format.ts';
import { notify } from '../shell/notify.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { pathOf } from './change.ts';
import { DeleteDialog } from './delete-dialog.tsx';
import { lossQuery } from './loss.ts';
import { useChange } from './use-change.ts';

export interface DeleteFieldProps {
  readonly field: Field;
  /** The collection between the two ends of its relation, which stays; null without one. */
  readonly junction: string | null;
  /** Leaves the screen of the field. */
  readonly leave: () => Promise<void>;
  readonly onClose: () => void;
}

export function DeleteField({ field: wanted, junction, leave, onClose }: DeleteFieldProps) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const { collection, field, schema } = wanted;
  const rows = useQuery({ ...lossQuery(collection, field), enabled: schema !== null });
  const work = useChange(
    () => notify('model.fieldDeleted', { type: 'success', messageArgs: { name: field } }),
    { leave },
  );
  return (
    <DeleteDialog
      title={translate('model.deleteField', { name: field })}
      name={field}
      work={work}
      ready={schema === null || !rows.isPending}
      onConfirm={() => work.run([{ method: 'DELETE', path: pathOf('fields', collection, field) }])}
      onClose={onClose}
    >
      {rows.data !== undefined && (
        <Alert severity={rows.data > 0 ? 'error' : 'info'} sx={{ mb: 1.5 }}>
          {translate(rows.data === 0 ? 'model.deleteNoValues' : 'model.deleteValues', {
            smart_count: rows.data,
            rows: formatNumber(rows.data, locale),
          })}
        </Alert>
      )}
      {translate(schema === null ? 'model.deleteAliasText' : 'model.deleteFieldText')}
      {junction !== null && ` ${translate('model.deleteJunctionStays', { name: junction })}`}
    </DeleteDialog>
  );
}
