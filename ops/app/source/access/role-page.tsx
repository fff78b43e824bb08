/** The page of a role: it reads what the form begins with. */
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router-dom';
import { useRights } from '../data/queries.ts';
import { NEW_ITEM } from '../data/route-of.ts';
import { Failure } from '../shell/failure.tsx';
import { Loading } from '../shell/loading.tsx';
import { PageHeader } from '../shell/page-header.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { rolesQuery } from './access-queries.ts';
import type { Role } from './access-types.ts';
import { formQuery, roleRead, type StoredHolder } from './form-queries.ts';
import { ROLE_LIST } from './paths.ts';
import { RoleForm } from './role-form.tsx';

const NEW: StoredHolder<Role> = {
  item: {
    ...{ id: '', name: '', icon: 'supervised_user_circle' },
    ...{ description: null, parent: null, policies: [] },
  },
  access: [],
  tag: null,
};

export function Component() {
  const translate = useTranslate();
  const { role: id = NEW_ITEM } = useParams();
  const isNew = id === NEW_ITEM;
  const rights = useRights();
  const roles = useQuery(rolesQuery);
  const role = useQuery({ ...formQuery(roleRead(id, rights)), enabled: !isNew });
  const error = roles.error ?? role.error;
  if (error !== null) {
    return (
      <>
        <PageHeader title={translate('access.role')} back={ROLE_LIST} />
        <Failure error={error} retry={() => Promise.all([roles.refetch(), role.refetch()])} />
      </>
    );
  }
  const stored = isNew ? NEW : role.data;
  if (roles.data === undefined || stored === undefined) return <Loading />;
  return <RoleForm key={id} stored={stored} roles={roles.data} isNew={isNew} />;
}
