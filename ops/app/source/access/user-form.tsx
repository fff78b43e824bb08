/** The form of a user, with the policies of his own. */
import Button from '@mui/material/Button';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router-dom';
import { meQuery, useRights } from '../data/queries.ts';
import { may, mayChangeOthers, mayField } from '../data/rights.ts';
import { useDraft } from '../draft/use-draft.ts';
import { useTranslate } from '../translation/use-translate.ts';
import { AccessForm } from './access-form.tsx';
import { ACCESS, USERS, type User } from './access-types.ts';
import { holderPayload } from './attachments.ts';
import { readsPolicies, type StoredHolder, userRead } from './form-queries.ts';
import { useHolderWords } from './holder-words.ts';
import { rightsPath, USER_LIST, userPath } from './paths.ts';
import { personName } from './person.ts';
import { PolicyAttachments } from './policy-attachments.tsx';
import { useAccessSave } from './use-access-save.ts';
import { type EditedUser, UserFields } from './user-fields.tsx';
import { UserSecurity } from './user-security.tsx';
import { UserStatus } from './user-status.tsx';

export interface UserFormProps {
  /** What the form changes. */
  readonly stored: StoredHolder<EditedUser>;
  /** All that is known of the user; null for a new one. */
  readonly user: User | null;
}

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
  const { id } = stored.item;
  const translate = useTranslate();
  const rights = useRights();
  const draft = useDraft(stored);
  const { values, change } = draft;
  // Asked for where users change their own address.
  const [password, setPassword] = useState('');
  const isOwn = useQuery(meQuery).data?.id === id;
  const asksPassword = isOwn && !isSameAddress(values.email, stored.item.email);
  const save = useAccessSave<StoredHolder<EditedUser>>({
    isNew,
    read: userRead(id, rights),
    draft,
    payloadOf: (sending) => ({
      ...holderPayload(sending, may(rights, ACCESS, 'update')),
      ...(asksPassword && password !== '' && { current_password: password }),
    }),
    done: 'access.userSaved',
    pathOf: userPath,
    onSaved: () => setPassword(''),
  });
  const action = isNew ? 'create' : 'update';
  const isChangeable = isOwn ? may(rights, USERS, 'update') : mayChangeOthers(rights);
  const readOnly = isNew ? !may(rights, USERS, 'create') : !isChangeable;
  const name = personName(stored.item);
  return (
    <AccessForm
      header={{
        title: isNew ? translate('access.newUser') : name,
        back: USER_LIST,
        ...(!isNew && {
          note: <UserStatus status={stored.item.status} />,
          actions: (
            <Button component={Link} to={rightsPath(id)}>
              {translate('access.rights')}
            </Button>
          ),
        }),
      }}
      isNew={isNew}
      readOnly={readOnly}
      deletion={{
        collection: USERS,
        id,
        title: translate('access.deleteUserTitle', { name }),
        text: translate('access.deleteUserText'),
        done: 'access.userDeleted',
      }}
      draft={draft}
      save={save}
      words={useHolderWords('access.user_')}
      shown={SHOWN}
      maxWidth={960}
      below={
        user !== null && (
          <UserSecurity user={user} readOnly={!mayField(rights, USERS, 'update', 'token')} />
        )
      }
    >
      {(errorOf) => (
        <>
          <UserFields
            user={values}
            isNew={isNew}
            isWritable={(field) => !readOnly && mayField(rights, USERS, action, field)}
            errorOf={errorOf}
            onChange={change}
            currentPassword={asksPassword ? password : null}
            onCurrentPassword={setPassword}
          />
          {readsPolicies(rights, USERS) && (
            <PolicyAttachments
              help={translate('access.userPoliciesHelp')}
              value={values.policies}
              readOnly={readOnly || !may(rights, ACCESS, 'create')}
              onChange={(policies) => change({ policies })}
            />
          )}
        </>
      )}
    </AccessForm>
  );
}
