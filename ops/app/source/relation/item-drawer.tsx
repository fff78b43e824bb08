/**
 * Edits a related item beside the form that it belongs to. What is done here becomes part of that
 * form, and is saved with it.
 */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Drawer from '@mui/material/Drawer';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { useContext, useId, useMemo, useState } from 'react';
import type { Key } from '../../../client/source/index.ts';
import type { Fault } from '../data/faults.ts';
import { fieldsQuery, useRights } from '../data/queries.ts';
import type { Item } from '../data/schema-types.ts';
import { sameValue } from '../data/values.ts';
import { changesBetween } from '../draft/changes.ts';
import { DrawerContext, FieldsContext } from '../interface/fields-context.ts';
import { ConfirmDialog } from '../shell/confirm-dialog.tsx';
import { Failure } from '../shell/failure.tsx';
import { Loading } from '../shell/loading.tsx';
import { UploadsNotice, UploadsOfForm, useUploadsFirst } from '../shell/running-uploads.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { itemQuery } from './related.ts';

/** One item in the drawer; behind a junction there are two: the item, and the row that leads to it. */
export interface DrawerPart {
  readonly collection: string;
  /** Null for an item that is being created. */
  readonly key: Key | null;
  readonly changes: Item;
  readonly omit: ReadonlySet<string>;
  readonly faults: readonly Fault[];
}

interface PartProps {
  readonly part: DrawerPart;
  readonly changes: Item;
  readonly onChange: (changes: Item) => void;
  readonly readOnly: boolean;
}

const NOTHING: Item = {};

function Part({ part, changes, onChange, readOnly }: PartProps) {
  const { collection, key, omit, faults } = part;
  const Fields = useContext(FieldsContext);
  const rights = useRights();
  const fields = useQuery(fieldsQuery(collection));
  const stored = useQuery({
    ...itemQuery(collection, key ?? '', fields.data ?? []),
    enabled: key !== null && fields.data !== undefined,
  });
  const presets = rights[collection]?.create?.presets;
  const item = key === null ? (presets ?? NOTHING) : stored.data;
  const failed = [fields, stored].find(({ error, data }) => error !== null && data === undefined);
  if (failed !== undefined) return <Failure error={failed.error} retry={() => failed.refetch()} />;
  if (Fields === null || fields.data === undefined || item === undefined) return <Loading />;
  return (
    <DrawerContext value>
      <Fields
        collection={collection}
        fields={fields.data}
        item={item}
        changes={changes}
        onChange={(name, value) => {
          const { [name]: _, ...others } = changes;
          onChange({ ...others, ...changesBetween(item, { [name]: value }) });
        }}
        itemKey={key === null ? null : [key].flat().map(encodeURIComponent).join(',')}
        action={key === null ? 'create' : 'update'}
        faults={faults}
        omit={omit}
        readOnly={readOnly}
      />
    </DrawerContext>
  );
}

export interface ItemDrawerProps {
  readonly title: string;
  readonly parts: readonly DrawerPart[];
  readonly readOnly?: boolean;
  /** Takes what has been changed in each part. */
  readonly onApply: (changes: readonly Item[]) => void;
  readonly onClose: () => void;
}

export function ItemDrawer({ title, parts, readOnly = false, onApply, onClose }: ItemDrawerProps) {
  const translate = useTranslate();
  const id = useId();
  const first = useMemo(() => parts.map(({ changes }) => changes), [parts]);
  const [changes, setChanges] = useState(first);
  const [asks, setAsks] = useState(false);
  const uploads = useUploadsFirst(() => onApply(changes));
  const dirty = uploads.running > 0 || !sameValue(changes, first);
  const leave = () => (dirty ? setAsks(true) : onClose());
  return (
    <Drawer
      anchor="right"
      open
      onClose={leave}
      slotProps={{
        paper: {
          role: 'dialog',
          'aria-modal': true,
          'aria-labelledby': id,
          sx: { width: 'min(720px, 100vw)' },
        },
      }}
    >
      <Box
        component="form"
        noValidate
        onSubmit={(event: React.FormEvent) => {
          event.preventDefault();
          // The form around it, of which it is a part for React, is not to be saved yet.
          event.stopPropagation();
          uploads.request(null);
        }}
        sx={{ display: 'flex', flexDirection: 'column', minHeight: '100%' }}
      >
        <Box
          sx={{
            ...{ position: 'sticky', top: 0, zIndex: 2, display: 'flex', gap: 1, p: 2 },
            ...{ alignItems: 'center', borderBottom: 1, borderColor: 'divider' },
            bgcolor: 'background.paper',
          }}
        >
          <Typography variant="h2" id={id} noWrap sx={{ flex: 1, minWidth: 0 }}>
            {title}
          </Typography>
          <Button onClick={leave}>{translate(readOnly ? 'shell.close' : 'shell.cancel')}</Button>
          {!readOnly && (
            <Button type="submit" variant="contained" loading={uploads.waits}>
              {translate('relation.apply')}
            </Button>
          )}
        </Box>
        <Box sx={{ p: { xs: 2, md: 3 }, display: 'grid', gap: 3 }}>
          <UploadsNotice uploads={uploads} />
          <UploadsOfForm value={uploads.begin}>
            {parts.map((part, index) => (
              <Part
                key={part.collection}
                part={part}
                changes={changes[index] ?? NOTHING}
                onChange={(next) =>
                  setChanges((known) => known.map((one, at) => (at === index ? next : one)))
                }
                readOnly={readOnly}
              />
            ))}
          </UploadsOfForm>
        </Box>
      </Box>
      <ConfirmDialog
        open={asks}
        title={translate('shell.unsavedTitle')}
        confirm={translate('relation.discard')}
        keep={translate('shell.unsavedStay')}
        onConfirm={onClose}
        onClose={() => setAsks(false)}
      >
        {translate('relation.discardText')}
      </ConfirmDialog>
    </Drawer>
  );
}
