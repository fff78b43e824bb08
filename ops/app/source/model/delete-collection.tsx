/** Asks before a collection is deleted: says what is lost, and wants its name. */
import Alert from '@mui/material/Alert';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from 'react-router-dom';
import { relationsQuery } from '../data/queries.ts';
import type { Collection } from '../data/schema-types.ts';
import { formatNumber } from '../display/format.ts';
import { notify } from '../shell/notify.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { pathOf } from './change.ts';
import { DeleteDialog } from './delete-dialog.tsx';
import { lossQuery } from './loss.ts';
import { COLLECTIONS } from './route.ts';
import { useChange } from './use-change.ts';

export interface DeleteCollectionProps {
  readonly collection: Collection;
  readonly onClose: () => void;
}

export function DeleteCollection({ collection, onClose }: DeleteCollectionProps) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const navigate = useNavigate();
  const { collection: name, schema } = collection;
  const rows = useQuery({ ...lossQuery(name), enabled: schema !== null });
  const relations = useQuery(relationsQuery).data ?? [];
  const referring = relations
    .filter((relation) => relation.related_collection === name && relation.collection !== name)
    .map((relation) => `${relation.collection}.${relation.field}`);
  const work = useChange(
    () => notify('model.collectionDeleted', { type: 'success', messageArgs: { name } }),
    { leave: async () => navigate(COLLECTIONS), collection: name },
  );
  return (
    <DeleteDialog
      title={translate('model.deleteCollection', { name })}
      name={name}
      work={work}
      ready={schema === null || !rows.isPending}
      onConfirm={() => work.run([{ method: 'DELETE', path: pathOf('collections', name) }])}
      onClose={onClose}
    >
      {schema === null ? (
        translate('model.deleteFolderText')
      ) : (
        <>
          {rows.data !== undefined && (
            <Alert severity={rows.data > 0 ? 'error' : 'info'} sx={{ mb: 1.5 }}>
              {translate(rows.data === 0 ? 'model.deleteNoRows' : 'model.deleteRows', {
                smart_count: rows.data,
                rows: formatNumber(rows.data, locale),
              })}
            </Alert>
          )}
          {translate('model.deleteCollectionText')}
          {referring.length > 0 &&
            ` ${translate('model.deleteReferring', { fields: referring.join(', ') })}`}
        </>
      )}
    </DeleteDialog>
  );
}
