/** What is done with an item beside saving it: its history and comments, the archive, deleting it. */
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import Tooltip from '@mui/material/Tooltip';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { client } from '../data/client.ts';
import { keyFromText, keyOf } from '../data/item-key.ts';
import { useRights } from '../data/queries.ts';
import { may, mayField } from '../data/rights.ts';
import type { Collection, Field, Item } from '../data/schema-types.ts';
import { sameValue } from '../data/values.ts';
import { useTemplate } from '../display/representation.ts';
import { fillTemplate } from '../display/template.ts';
import { CopyAs } from '../share/copy-as.tsx';
import { ConfirmDialog } from '../shell/confirm-dialog.tsx';
import { notify } from '../shell/notify.ts';
import { PinButton } from '../shell/pin-button.tsx';
import { Icon } from '../theme/icon.tsx';
import type { IconName } from '../theme/icon-paths.ts';
import { useTranslate } from '../translation/use-translate.ts';
import { archiveValue } from './copy.ts';

const HistoryDrawer = lazy(() =>
  import('../history/history-drawer.tsx').then((m) => ({ default: m.HistoryDrawer })),
);
const CommentsDrawer = lazy(() =>
  import('../history/comments-drawer.tsx').then((m) => ({ default: m.CommentsDrawer })),
);

const ALL_FIELDS = ['*'];

interface ItemActionsProps {
  readonly collection: Collection;
  readonly fields: readonly Field[];
  /** Null for that of a singleton. */
  readonly itemKey: string | null;
  readonly item: Item;
  readonly back?: string;
  /** Saves a change at once. */
  readonly onChange: (changes: Item) => void;
  /** Told before one leaves an item that is gone. */
  readonly onGone: () => void;
}

function Tool({
  name,
  icon,
  onClick,
}: {
  readonly name: string;
  readonly icon: IconName;
  readonly onClick: () => void;
}) {
  return (
    <Tooltip title={name}>
      <IconButton aria-label={name} onClick={onClick}>
        <Icon name={icon} />
      </IconButton>
    </Tooltip>
  );
}

export function ItemActions(props: ItemActionsProps) {
  const { collection, fields, itemKey, item, back, onChange, onGone } = props;
  const translate = useTranslate();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const rights = useRights();
  const [shown, setShown] = useState<'history' | 'comments' | 'delete' | null>(null);
  const name = collection.collection;
  const title = fillTemplate(useTemplate(name), item) || (itemKey ?? '');
  const {
    archive_field: archive,
    archive_value: inside,
    unarchive_value: outside,
  } = {
    archive_field: null,
    archive_value: null,
    unarchive_value: null,
    ...collection.meta,
  };
  // History and comments know an item by its key, that of a singleton, too.
  const known = itemKey ?? keyOf(fields, item);
  const isStored = known !== null && known !== 'null';
  const archived =
    archive !== null && sameValue(item[archive], archiveValue(fields, archive, inside));
  const remove = useMutation({
    mutationFn: (key: string) => client.items(name).delete(keyFromText(key)),
    onSuccess: async () => {
      onGone();
      notify('form.deleted', { type: 'success' });
      await navigate(back ?? '/');
      await queryClient.invalidateQueries({ queryKey: ['items', name, 'list'] });
    },
  });
  const close = () => setShown(null);
  return (
    <>
      <CopyAs
        request={{
          kind: itemKey === null ? 'singleton' : 'item',
          collection: name,
          fields: ALL_FIELDS,
          key: itemKey ?? '',
        }}
      />
      {itemKey !== null && <PinButton pin={{ collection: name, item: { key: itemKey, title } }} />}
      {isStored && may(rights, 'system_comments', 'read') && (
        <Tool
          name={translate('history.comments')}
          icon="comment"
          onClick={() => setShown('comments')}
        />
      )}
      {isStored && may(rights, 'system_revisions', 'read') && (
        <Tool
          name={translate('history.history')}
          icon="history"
          onClick={() => setShown('history')}
        />
      )}
      {archive !== null && itemKey !== null && mayField(rights, name, 'update', archive) && (
        <Button
          startIcon={<Icon name={archived ? 'restore' : 'archive'} />}
          onClick={() =>
            onChange({ [archive]: archiveValue(fields, archive, archived ? outside : inside) })
          }
        >
          {translate(archived ? 'form.unarchive' : 'form.archive')}
        </Button>
      )}
      {itemKey !== null && may(rights, name, 'delete') && (
        <Button color="error" onClick={() => setShown('delete')}>
          {translate('shell.delete')}
        </Button>
      )}
      <ConfirmDialog
        open={shown === 'delete'}
        title={translate('form.deleteTitle')}
        confirm={translate('shell.delete')}
        busy={remove.isPending}
        error={remove.error}
        onConfirm={() => itemKey !== null && remove.mutate(itemKey)}
        onClose={close}
      >
        {translate('form.deleteText')}
      </ConfirmDialog>
      <Suspense>
        {shown === 'history' && known !== null && (
          <HistoryDrawer
            collection={name}
            fields={fields}
            itemKey={known}
            item={item}
            onClose={close}
          />
        )}
        {shown === 'comments' && known !== null && (
          <CommentsDrawer collection={name} itemKey={known} onClose={close} />
        )}
      </Suspense>
    </>
  );
}
