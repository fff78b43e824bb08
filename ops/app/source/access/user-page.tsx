/** The page of a user: it reads what the form begins with. */
import { useQuery } from '@tanstack/react-query';
import { useTranslate } from 'ra-core';
import { useParams } from 'react-router-dom';
import { useRights } from '../data/queries.ts';
import { NEW_ITEM } from '../data/route-of.ts';
import { Failure } from '../shell/failure.tsx';
import { Loading } from '../shell/loading.tsx';
import { PageHeader } from '../shell/page-header.tsx';
import { accessQuery, userFields, userQuery } from './access-queries.ts';
import type { Access, User } from './access-types.ts';
import { USER_LIST } from './paths.ts';
import { UserForm } from './user-form.tsx';

const NEW: User = {
  id: '',
  first_name: null,
  last_name: null,
  email: null,
  status: 'active',
  role: null,
  language: null,
  last_access: null,
  token: null,
  tfa_secret: null,
};
const NO_ACCESS: readonly Access[] = [];

export function Component() {
  const translate = useTranslate();
  const rights = useRights();
  const { user: id = NEW_ITEM } = useParams();
  const isNew = id === NEW_ITEM;
  const user = useQuery({ ...userQuery(id, userFields(rights)), enabled: !isNew });
  const access = useQuery({ ...accessQuery({ user: { _eq: id } }), enabled: !isNew });
  const error = user.error ?? access.error;
  if (error !== null) {
    return (
      <>
        <PageHeader title={translate('access.user')} back={USER_LIST} />
        <Failure error={error} retry={() => Promise.all([user.refetch(), access.refetch()])} />
      </>
    );
  }
  if (isNew) return <UserForm user={NEW} policies={NO_ACCESS} isNew />;
  if (user.data === undefined || access.data === undefined) return <Loading />;
  return <UserForm key={id} user={user.data} policies={access.data} isNew={false} />;
}
