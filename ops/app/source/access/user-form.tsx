/** The form of a user, with the policies of his own. */
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useQuery } from '@tanstack/react-query';
import { useTranslate } from 'ra-core';
import { type FormEvent, useState } from 'react';
import { Link } from 'react-router-dom';
import { tellFailure } from '../data/failure.ts';
import { faultsOf } from '../data/faults.ts';
import { meQuery, useRights } from '../data/queries.ts';
import { may, mayChangeOthers, mayField } from '../data/rights.ts';
import { PageHeader } from '../shell/page-header.tsx';
import { UnsavedChanges } from '../shell/unsaved-changes.tsx';
import { ACCESS, USERS, type User } from './access-types.ts';
import { DeleteButton } from './delete-button.tsx';
import { HolderConflict } from './holder-conflict.tsx';
import { readsPolicies, type StoredHolder, userRead } from './holder-queries.ts';
import { rightsPath, USER_LIST, userPath } from './paths.ts';
import { personName } from './person.ts';
import { PolicyAttachments } from './policy-attachments.tsx';
import { useHolderDraft } from './use-holder-draft.ts';
import { type HolderSending, useHolderSave } from './use-holder-save.ts';
import { type EditedUser, UserFields } from './user-fields.tsx';
import { UserSecurity } from './user-security.tsx';
import { UserStatus } from './user-status.tsx';

export interface UserFormProps {
  /** What the form changes. */
  readonly stored: StoredHolder<EditedUser>;
  /** All that is known of the user; null for a new one. */
  readonly user: User | null;
}

const FORM = 'user';
const SHOWN = new Set([
  'first_name',
  'last_name',
  'email',
  'status',
  'role',
  'language',
  'password',
  'current_password',
]);

function isSameAddress(one: string | null, other: string | null): boolean {
  return (one ?? '').toLowerCase() === (other ?? '').toLowerCase();
}

export function UserForm({ stored, user }: UserFormProps) {
  const isNew = user === null;
  const { id } = stored.value;
  const translate = useTranslate();
  const rights = useRights();
  const draft = useHolderDraft(stored, may(rights, ACCESS, 'update'));
  const save = useHolderSave<EditedUser>({
    collection: USERS,
    id: isNew ? null : id,
    read: userRead(id, rights),
    draft,
    done: 'access.userSaved',
    pathOf: userPath,
  });
  // Asked for where users change their own address.
  const [password, setPassword] = useState('');
  const isOwn = useQuery(meQuery).data?.id === id;
  const asksPassword = isOwn && !isSameAddress(draft.value.email, stored.value.email);
  const send = (sending: HolderSending) => {
    const confirmation = asksPassword && password !== '' ? { current_password: password } : {};
    save.mutate(
      { ...sending, payload: { ...sending.payload, ...confirmation } },
      { onSuccess: (outcome) => 'saved' in outcome && setPassword('') },
    );
  };
  const action = isNew ? 'create' : 'update';
  const isChangeable = isOwn ? may(rights, USERS, 'update') : mayChangeOthers(rights);
  const readOnly = isNew ? !may(rights, USERS, 'create') : !isChangeable;
  // What was refused and taken back is no fault any more.
  const error = draft.dirty ? save.error : null;
  const faults = faultsOf(error, translate);
  const errorOf = (field: string) => faults.find(({ path }) => path[0] === field)?.message ?? null;
  const isShown = faults.some(({ path }) => SHOWN.has(path[0] ?? ''));
  const failure = error !== null && !isShown ? tellFailure(error, translate) : null;
  const name = personName(stored.value);
  return (
    <>
      <PageHeader
        title={isNew ? translate('access.newUser') : name}
        back={USER_LIST}
        {...(!isNew && { note: <UserStatus status={stored.value.status} /> })}
        actions={
          <>
            {!isNew && may(rights, USERS, 'delete') && (
              <DeleteButton
                collection={USERS}
                id={id}
                title={translate('access.deleteUserTitle', { name })}
                text={translate('access.deleteUserText')}
                done="access.userDeleted"
                back={USER_LIST}
                onGone={draft.reset}
              />
            )}
            {!isNew && (
              <Button component={Link} to={rightsPath(id)}>
                {translate('access.rights')}
              </Button>
            )}
            {!readOnly && (
              <Button
                type="submit"
                form={FORM}
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
        <HolderConflict
          draft={draft}
          theirs={save.conflict}
          busy={save.isPending}
          nameOf={(field) =>
            translate(field === 'policies' ? 'access.policies' : `access.user_${field}`)
          }
          onSave={send}
          onClose={save.endConflict}
        />
      )}
      <Box
        sx={{
          p: { xs: 1.5, md: 3 },
          display: 'grid',
          gap: 3,
          gridTemplateColumns: 'minmax(0, 1fr)',
          maxWidth: 960,
        }}
      >
        <Box
          component="form"
          id={FORM}
          noValidate
          onSubmit={(event: FormEvent) => {
            event.preventDefault();
            if (draft.dirty && !save.isPending) send(draft);
          }}
          sx={{ display: 'grid', gap: 3, gridTemplateColumns: 'minmax(0, 1fr)' }}
        >
          {failure !== null && (
            <Alert severity="error" role="alert">
              {translate(failure.text)} {failure.detail}
            </Alert>
          )}
          <UserFields
            user={draft.value}
            isNew={isNew}
            isWritable={(field) => !readOnly && mayField(rights, USERS, action, field)}
            errorOf={errorOf}
            onChange={draft.change}
            currentPassword={asksPassword ? password : null}
            onCurrentPassword={setPassword}
          />
          {readsPolicies(rights, USERS) && (
            <PolicyAttachments
              help={translate('access.userPoliciesHelp')}
              value={draft.policies}
              readOnly={readOnly || !may(rights, ACCESS, 'create')}
              onChange={draft.changePolicies}
            />
          )}
        </Box>
        {user !== null && (
          <UserSecurity user={user} readOnly={!mayField(rights, USERS, 'update', 'token')} />
        )}
      </Box>
    </>
  );
}
