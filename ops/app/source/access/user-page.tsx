/** The page of a user: it reads what the form begins with. */
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router-dom';
import { useRights } from '../data/queries.ts';
import { NEW_ITEM } from '../data/route-of.ts';
import { Failure } from '../shell/failure.tsx';
import { Loading } from '../shell/loading.tsx';
import { PageHeader } from '../shell/page-header.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { userFields, userQuery } from './access-queries.ts';
import { formQuery, type StoredHolder, userRead } from './form-queries.ts';
import { USER_LIST } from './paths.ts';
import type { EditedUser } from './user-fields.tsx';
import { UserForm } from './user-form.tsx';

const NEW: StoredHolder<EditedUser> = {
  item: {
    ...{ id: '', first_name: null, last_name: null, email: null },
    ...{ status: 'active', role: null, language: null, policies: [] },
  },
  access: [],
  tag: null,
};

export function Component() {
  const translate = useTranslate();
  const rights = useRights();
  const { user: id = NEW_ITEM } = useParams();
  const isNew = id === NEW_ITEM;
  const user = useQuery({ ...userQuery(id, userFields(rights)), enabled: !isNew });
  const form = useQuery({ ...formQuery(userRead(id, rights)), enabled: !isNew });
  const error = user.error ?? form.error;
  if (error !== null) {
    return (
      <>
        <PageHeader title={translate('access.user')} back={USER_LIST} />
        <Failure error={error} retry={() => Promise.all([user.refetch(), form.refetch()])} />
      </>
    );
  }
  if (isNew) return <UserForm stored={NEW} user={null} />;
  if (user.data === undefined || form.data === undefined) return <Loading />;
  return <UserForm key={id} stored={form.data} user={user.data} />;
}
