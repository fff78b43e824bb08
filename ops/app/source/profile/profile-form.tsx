/** The form of the own name and address, and below it what is changed at once. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type KeyboardEvent, useId, useMemo, useState } from 'react';
import { client } from '../data/client.ts';
import { faultsOf, standingFaults } from '../data/faults.ts';
import { useRights } from '../data/queries.ts';
import { CALLER } from '../data/query-keys.ts';
import { ConflictDialog } from '../draft/conflict-dialog.tsx';
import { useDraft } from '../draft/use-draft.ts';
import { useSave } from '../draft/use-save.ts';
import { FailureAlert } from '../shell/failure-alert.tsx';
import { notify } from '../shell/notify.ts';
import { PageHeader } from '../shell/page-header.tsx';
import { FORM } from '../shell/part.tsx';
import { UnsavedChanges } from '../shell/unsaved-changes.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { DetailFields } from './detail-fields.tsx';
import { FactorPart } from './factor-part.tsx';
import { PasswordPart } from './password-part.tsx';
import { PicturePart } from './picture-part.tsx';
import { PreferencesPart } from './preferences-part.tsx';
import {
  type Details,
  detailText,
  type Profile,
  profileQuery,
  storedDetails,
} from './profile-query.ts';
import { SessionsPart } from './sessions-part.tsx';

function folded(address: string | null | undefined): string {
  return (address ?? '').toLowerCase();
}

export function ProfileForm({ profile }: { readonly profile: Profile }) {
  const translate = useTranslate();
  const queryClient = useQueryClient();
  const query = profileQuery(useRights());
  const form = useId();
  const stored = useMemo(() => storedDetails(profile), [profile]);
  const draft = useDraft(stored);
  const { values, changes, base } = draft;
  // The server asks for the password before it changes the address that resets the password.
  const [password, setPassword] = useState('');
  const asksPassword = folded(values.email) !== folded(stored.item.email);
  const save = useSave({
    readsFirst: true,
    send: (sending: { changes: typeof changes; base: typeof base }) =>
      client.me.update(
        {
          ...sending.changes,
          ...(asksPassword && password !== '' && { current_password: password }),
        },
        { fields: ['id'] },
      ),
    readLatest: async () => storedDetails(await queryClient.fetchQuery({ ...query, staleTime: 0 })),
    async onSaved(_, sent) {
      await queryClient.invalidateQueries({ queryKey: [CALLER] });
      const now = queryClient.getQueryData(query.queryKey);
      if (now === undefined) draft.reset();
      else draft.settle(sent.changes, storedDetails(now));
      setPassword('');
      notify('profile.saved', { type: 'success' });
    },
  });
  const error = draft.dirty ? save.error : null;
  const faults = faultsOf(error, translate);
  const standing = standingFaults(faults, save.variables?.changes, changes);
  const errorOf = (field: string) =>
    standing.find(({ path }) => path[0] === field)?.message ?? null;
  const submit = (event: FormEvent | KeyboardEvent) => {
    event.preventDefault();
    if (draft.dirty && !save.isPending) save.mutate({ changes, base });
  };
  return (
    <>
      <PageHeader
        title={translate('profile.title')}
        actions={
          <Button
            type="submit"
            form={form}
            variant="contained"
            loading={save.isPending}
            disabled={!draft.dirty}
          >
            {translate('shell.save')}
          </Button>
        }
      />
      <UnsavedChanges when={draft.isDirty} />
      {save.conflict !== null && (
        <ConflictDialog
          words={{
            nameOf: (field) => translate(detailText(field)),
            say: (_, value) => (value === null || value === '' ? '–' : String(value)),
          }}
          draft={draft}
          theirs={save.conflict}
          busy={save.isPending}
          onSave={save.mutate}
          onClose={() => save.setConflict(null)}
        />
      )}
      <Box sx={FORM}>
        <PicturePart profile={profile} />
        <Box
          component="form"
          id={form}
          noValidate
          onSubmit={submit}
          onKeyDown={(event: KeyboardEvent) => {
            if (event.key === 's' && (event.ctrlKey || event.metaKey)) submit(event);
          }}
          sx={{ display: 'grid', gap: 2, gridTemplateColumns: 'minmax(0, 1fr)' }}
        >
          <FailureAlert error={faults.length > 0 ? null : error} />
          <DetailFields
            values={values}
            errorOf={errorOf}
            onChange={(part: Details) => draft.change(part)}
            password={asksPassword ? password : null}
            onPassword={setPassword}
          />
        </Box>
        <PreferencesPart />
        <PasswordPart />
        <FactorPart isOn={Boolean(profile.tfa_secret)} />
        <SessionsPart />
      </Box>
    </>
  );
}
