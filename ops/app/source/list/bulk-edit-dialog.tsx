/** Gives several items the same values: only the fields that are chosen are written. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogContentText from '@mui/material/DialogContentText';
import DialogTitle from '@mui/material/DialogTitle';
import IconButton from '@mui/material/IconButton';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { client } from '../data/client.ts';
import { faultsOf } from '../data/faults.ts';
import { useRights } from '../data/queries.ts';
import { mayField } from '../data/rights.ts';
import type { Field } from '../data/schema-types.ts';
import { FieldInterface } from '../interface/field-interface.tsx';
import { AddMenu } from '../shell/add-menu.tsx';
import { FailureAlert } from '../shell/failure-alert.tsx';
import { Icon } from '../theme/icon.tsx';
import { fieldName } from '../translation/names.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { countWords, type Matching, selectionOf } from './selection.ts';

export interface BulkEditDialogProps {
  readonly collection: string;
  readonly fields: readonly Field[];
  /** Keys of the items, which are those of `matching` where that is not null. */
  readonly keys: readonly string[];
  readonly matching: Matching | null;
  /** How many items that are; null while they are counted. */
  readonly count: number | null;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** What several items can have in common: columns that are written, and no key. */
function isEditable({ type, schema, meta }: Field): boolean {
  const isOwn = type !== 'alias' && schema !== null;
  return (
    isOwn && !schema.is_primary_key && !schema.is_unique && !schema.is_generated && !meta?.readonly
  );
}

export function BulkEditDialog(props: BulkEditDialogProps) {
  const { collection, fields, keys, matching, count, onDone, onClose } = props;
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const title = useId();
  const rights = useRights();
  const [changes, setChanges] = useState<ReadonlyMap<string, unknown>>(new Map());
  const possible = fields.filter(
    (field) => isEditable(field) && mayField(rights, collection, 'update', field.field),
  );
  const { mutate, error, isPending } = useMutation({
    mutationFn: () =>
      client
        .items(collection)
        .updateMany(selectionOf(keys, matching), Object.fromEntries(changes), {
          fields: ['*'],
          limit: 1,
        }),
    onSuccess: onDone,
  });
  const faults = faultsOf(error, translate);
  const faultOf = (name: string) => faults.find(({ path }) => path[0] === name)?.message ?? null;
  const set = (name: string, value: unknown) => setChanges(new Map(changes).set(name, value));
  const drop = (name: string) =>
    setChanges(new Map([...changes].filter(([other]) => other !== name)));
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    mutate();
  };
  return (
    <Dialog open onClose={onClose} aria-labelledby={title} fullWidth maxWidth="sm">
      <form onSubmit={submit}>
        <DialogTitle id={title}>
          {translate('list.editTitle', countWords(count, locale))}
        </DialogTitle>
        <DialogContent sx={{ display: 'grid', gap: 2, gridTemplateColumns: 'minmax(0, 1fr)' }}>
          <DialogContentText>{translate('list.editHelp')}</DialogContentText>
          <FailureAlert error={error} />
          {possible
            .filter(({ field }) => changes.has(field))
            .map((field) => {
              const label = fieldName(field, locale);
              return (
                <Box key={field.field} sx={{ display: 'flex', alignItems: 'flex-start', gap: 1 }}>
                  <Box sx={{ flex: 1, minWidth: 0 }}>
                    <FieldInterface
                      field={field}
                      label={label}
                      value={changes.get(field.field)}
                      onChange={(value) => set(field.field, value)}
                      readOnly={false}
                      required={false}
                      error={faultOf(field.field)}
                    />
                  </Box>
                  <IconButton
                    aria-label={translate('list.leaveField', { name: label })}
                    onClick={() => drop(field.field)}
                  >
                    <Icon name="close" fontSize="small" />
                  </IconButton>
                </Box>
              );
            })}
          <AddMenu
            text="list.addField"
            icon="add"
            asks
            targets={possible
              .filter(({ field }) => !changes.has(field))
              .map((field) => ({ name: field.field, label: fieldName(field, locale) }))}
            onChoose={(name) => set(name, null)}
          />
        </DialogContent>
        <DialogActions>
          <Button onClick={onClose}>{translate('shell.cancel')}</Button>
          <Button
            type="submit"
            variant="contained"
            loading={isPending}
            disabled={changes.size === 0 || count === null}
          >
            {translate('shell.save')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
