/** The page of a role: it reads what the form begins with. */
import { useQuery } from '@tanstack/react-query';
import { useTranslate } from 'ra-core';
import { useParams } from 'react-router-dom';
import { NEW_ITEM } from '../data/route-of.ts';
import { Failure } from '../shell/failure.tsx';
import { Loading } from '../shell/loading.tsx';
import { NotFound } from '../shell/not-found.tsx';
import { PageHeader } from '../shell/page-header.tsx';
import { rolesQuery, sharedAccessQuery } from './access-queries.ts';
import type { Role } from './access-types.ts';
import { ROLE_LIST } from './paths.ts';
import { RoleForm } from './role-form.tsx';

const NEW: Role = {
  id: '',
  name: '',
  icon: 'supervised_user_circle',
  description: null,
  parent: null,
};

export function Component() {
  const translate = useTranslate();
  const { role: id = NEW_ITEM } = useParams();
  const isNew = id === NEW_ITEM;
  const roles = useQuery(rolesQuery);
  const access = useQuery(sharedAccessQuery);
  const error = roles.error ?? access.error;
  if (error !== null) {
    return (
      <>
        <PageHeader title={translate('access.role')} back={ROLE_LIST} />
        <Failure error={error} retry={() => Promise.all([roles.refetch(), access.refetch()])} />
      </>
    );
  }
  if (roles.data === undefined || access.data === undefined) return <Loading />;
  const role = isNew ? NEW : roles.data.find((known) => known.id === id);
  if (role === undefined) return <NotFound />;
  return (
    <RoleForm
      key={id}
      role={role}
      roles={roles.data}
      policies={access.data.filter((row) => row.role === id)}
      isNew={isNew}
    />
  );
}
