/** What a user may do: which policies count for him, and what comes of them. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useParams } from 'react-router-dom';
import { useRights } from '../data/queries.ts';
import { Failure } from '../shell/failure.tsx';
import { Loading } from '../shell/loading.tsx';
import { PageHeader } from '../shell/page-header.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import {
  accessQuery,
  permissionsQuery,
  policiesQuery,
  rolesQuery,
  sharedAccessQuery,
  userFields,
  userQuery,
} from './access-queries.ts';
import { countingPolicies } from './effective.ts';
import { userPath } from './paths.ts';
import { personName } from './person.ts';
import { UserRights } from './user-rights.tsx';

export function Component() {
  const translate = useTranslate();
  const { user: id = '' } = useParams();
  const user = useQuery(userQuery(id, userFields(useRights())));
  const own = useQuery(accessQuery({ user: { _eq: id } }));
  const shared = useQuery(sharedAccessQuery);
  const roles = useQuery(rolesQuery);
  const policies = useQuery(policiesQuery);
  const counting = useMemo(() => {
    if (!user.data || !own.data || !shared.data || !roles.data || !policies.data) return null;
    return countingPolicies({
      role: user.data.role,
      roles: roles.data,
      policies: policies.data,
      shared: shared.data,
      own: own.data,
    });
  }, [user.data, own.data, shared.data, roles.data, policies.data]);
  const ids = (counting ?? []).map(({ policy }) => policy.id);
  const permissions = useQuery({ ...permissionsQuery(ids), enabled: counting !== null });
  const queries = [user, own, shared, roles, policies, permissions];
  const failed = queries.find(({ error }) => error !== null);
  const title =
    user.data === undefined
      ? translate('access.rights')
      : translate('access.rightsOf', { name: personName(user.data) });
  return (
    <>
      <PageHeader title={title} back={userPath(id)} />
      {failed !== undefined ? (
        <Failure
          error={failed.error}
          retry={() => Promise.all(queries.map(({ refetch }) => refetch()))}
        />
      ) : user.data === undefined || counting === null || permissions.data === undefined ? (
        <Loading />
      ) : (
        <UserRights user={user.data} counting={counting} permissions={permissions.data} />
      )}
    </>
  );
}
