/** The frame of the forms of users, roles and policies: head, saving, conflicts, and what went wrong. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { type FormEvent, type KeyboardEvent, type ReactNode, useId } from 'react';
import { faultsOf, standingFaults } from '../data/faults.ts';
import { useRights } from '../data/queries.ts';
import { may } from '../data/rights.ts';
import { ConflictDialog, type ConflictWords } from '../draft/conflict-dialog.tsx';
import type { Draft, Stored } from '../draft/use-draft.ts';
import { FailureAlert } from '../shell/failure-alert.tsx';
import { PageHeader, type PageHeaderProps } from '../shell/page-header.tsx';
import { UnsavedChanges } from '../shell/unsaved-changes.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { DeleteButton, type DeleteButtonProps } from './delete-button.tsx';
import type { useAccessSave } from './use-access-save.ts';

export interface AccessFormProps<S extends Stored<object>> {
  readonly header: PageHeaderProps & { readonly back: string };
  readonly isNew: boolean;
  readonly readOnly: boolean;
  readonly deletion: Omit<DeleteButtonProps, 'back' | 'onGone'>;
  readonly draft: Draft<S>;
  readonly save: ReturnType<typeof useAccessSave<S>>;
  readonly words: ConflictWords;
  /** The fields that say by themselves what is wrong with them. */
  readonly shown: ReadonlySet<string>;
  readonly maxWidth?: number;
  /** Gets what is wrong with a field, in words. */
  readonly children: (errorOf: (field: string) => string | null) => ReactNode;
  /** What stands below the form and is no part of it. */
  readonly below?: ReactNode;
}

const GRID = { display: 'grid', gap: 3, gridTemplateColumns: 'minmax(0, 1fr)' };

export function AccessForm<S extends Stored<object>>(props: AccessFormProps<S>) {
  const { header, isNew, readOnly, deletion, draft, save, words, shown, maxWidth, below } = props;
  const translate = useTranslate();
  const rights = useRights();
  const form = useId();
  // What was refused and taken back is no fault any more.
  const error = draft.dirty ? save.error : null;
  const told = faultsOf(error, translate);
  const faults = standingFaults(told, save.variables?.changes, draft.changes);
  const errorOf = (field: string) => faults.find(({ path }) => path[0] === field)?.message ?? null;
  const isShown = told.some(({ path }) => shown.has(path[0] ?? ''));
  const { changes, base } = draft;
  const submit = (event: FormEvent | KeyboardEvent) => {
    event.preventDefault();
    if (draft.dirty && !save.isPending) save.mutate({ changes, base });
  };
  return (
    <>
      <PageHeader
        {...header}
        actions={
          <>
            {!isNew && may(rights, deletion.collection, 'delete') && (
              <DeleteButton {...deletion} back={header.back} onGone={draft.reset} />
            )}
            {header.actions}
            {!readOnly && (
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
          words={words}
          draft={draft}
          theirs={save.conflict}
          busy={save.isPending}
          onSave={save.mutate}
          onClose={() => save.setConflict(null)}
        />
      )}
      <Box sx={{ p: { xs: 1.5, md: 3 }, ...GRID, ...(maxWidth !== undefined && { maxWidth }) }}>
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
          <FailureAlert error={isShown ? null : error} />
          {props.children(errorOf)}
        </Box>
        {below}
      </Box>
    </>
  );
}
