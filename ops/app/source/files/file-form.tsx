/** A file with its preview, what describes it, its links, and the items that use it. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type KeyboardEvent, useId, useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { client } from '../data/client.ts';
import { faultsOf, standingFaults } from '../data/faults.ts';
import { useRights } from '../data/queries.ts';
import { may } from '../data/rights.ts';
import type { Item } from '../data/schema-types.ts';
import { ConflictDialog } from '../draft/conflict-dialog.tsx';
import { type Stored, useDraft } from '../draft/use-draft.ts';
import { type Sending, useSave } from '../draft/use-save.ts';
import { ConfirmDialog } from '../shell/confirm-dialog.tsx';
import { FailureAlert } from '../shell/failure-alert.tsx';
import { notify } from '../shell/notify.ts';
import { PageHeader } from '../shell/page-header.tsx';
import { UnsavedChanges } from '../shell/unsaved-changes.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { FileFacts } from './file-facts.tsx';
import { FileFields } from './file-fields.tsx';
import { FileLinks } from './file-links.tsx';
import { fileFormQuery } from './file-query.ts';
import { FileUsage } from './file-usage.tsx';
import { FileView } from './file-view.tsx';
import { FILES, fileName, placePath } from './library-query.ts';

export interface FileFormProps {
  readonly file: Item;
  readonly stored: Stored;
}

const GRID = { display: 'grid', gap: 2, gridTemplateColumns: 'minmax(0, 1fr)' } as const;

export function FileForm({ file, stored }: FileFormProps) {
  const translate = useTranslate();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const rights = useRights();
  const form = useId();
  const key = String(file.id);
  const query = fileFormQuery(key, rights);
  const draft = useDraft(stored);
  const { values, changes, base } = draft;
  const [deleting, setDeleting] = useState(false);
  const save = useSave<Stored, Sending<Stored>, unknown>({
    send: (sending) => {
      const { tag } = sending.base;
      const fields = { fields: Object.keys(sending.base.item) };
      const condition = tag === null ? {} : { ifMatch: tag };
      return client.items(FILES).update(key, sending.changes, fields, condition);
    },
    readLatest: () => queryClient.fetchQuery({ ...query, staleTime: 0 }),
    async onSaved(_, sent) {
      await queryClient.invalidateQueries({ queryKey: ['items', FILES] });
      const now = queryClient.getQueryData(query.queryKey);
      if (now === undefined) draft.reset();
      else draft.settle(sent.changes, now);
      notify('files.saved', { type: 'success' });
    },
  });
  const remove = useMutation({
    mutationFn: () => client.items(FILES).delete(key),
    onSuccess: async () => {
      draft.reset();
      notify('files.deleted', { type: 'success', messageArgs: { smart_count: 1 } });
      await navigate(back, { replace: true });
      // The screen may still be there, and must not read a deleted file again.
      const deleted = { queryKey: ['items', FILES, 'one', key], refetchType: 'none' } as const;
      await queryClient.invalidateQueries(deleted);
      await queryClient.invalidateQueries({ queryKey: ['items', FILES, 'list'] });
    },
  });
  const { folder } = stored.item;
  const back = placePath(typeof folder === 'string' ? folder : null);
  const error = draft.dirty ? save.error : null;
  const faults = faultsOf(error, translate);
  const standing = standingFaults(faults, save.variables?.changes, changes);
  const mayUpdate = may(rights, FILES, 'update');
  const title = fileName({ ...file, ...stored.item });
  const submit = (event: FormEvent | KeyboardEvent) => {
    event.preventDefault();
    if (draft.dirty && !save.isPending) save.mutate({ changes, base });
  };
  return (
    <>
      <PageHeader
        title={title}
        back={back}
        actions={
          <>
            {may(rights, FILES, 'delete') && (
              <Button color="error" onClick={() => setDeleting(true)}>
                {translate('shell.delete')}
              </Button>
            )}
            {mayUpdate && (
              <Button
                type="submit"
                form={form}
                variant="contained"
                loading={save.isPending}
                disabled={!draft.dirty}
              >
                {translate('shell.save')}
              </Button>
            )}
          </>
        }
      />
      <UnsavedChanges when={draft.isDirty} />
      {save.conflict !== null && (
        <ConflictDialog
          words={{
            nameOf: (field) => translate(`files.field_${field}`),
            say: (_, value) => (value === null || value === '' ? '–' : String(value)),
          }}
          draft={draft}
          theirs={save.conflict}
          busy={save.isPending}
          onSave={save.mutate}
          onClose={() => save.setConflict(null)}
        />
      )}
      <ConfirmDialog
        open={deleting}
        title={translate('files.deleteTitle', { smart_count: 1 })}
        confirm={translate('shell.delete')}
        busy={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate()}
        onClose={() => setDeleting(false)}
      >
        {translate('files.deleteText')}
      </ConfirmDialog>
      <Box
        sx={{
          ...GRID,
          p: { xs: 1.5, md: 3 },
          gridTemplateColumns: {
            xs: 'minmax(0, 1fr)',
            lg: 'minmax(0, 7fr) minmax(0, 5fr)',
          },
          alignItems: 'start',
          maxWidth: 1440,
        }}
      >
        <Box sx={GRID}>
          <FileView
            file={file}
            values={values}
            readOnly={!mayUpdate}
            onChange={(part) => draft.change(part)}
          />
          <FileUsage id={key} />
        </Box>
        <Box sx={GRID}>
          <Box
            component="form"
            id={form}
            noValidate
            onSubmit={submit}
            onKeyDown={(event: KeyboardEvent) => {
              if (event.key === 's' && (event.ctrlKey || event.metaKey)) submit(event);
            }}
            sx={GRID}
          >
            <FailureAlert error={faults.length > 0 ? null : error} />
            <FileFields
              values={values}
              errorOf={(name) => standing.find(({ path }) => path[0] === name)?.message ?? null}
              onChange={(part) => draft.change(part)}
            />
          </Box>
          <FileFacts file={file} />
          <FileLinks file={file} />
        </Box>
      </Box>
    </>
  );
}
