/** The page of a policy: it reads what the form begins with. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useParams } from 'react-router-dom';
import { collectionsQuery } from '../data/queries.ts';
import { NEW_ITEM } from '../data/route-of.ts';
import { Failure } from '../shell/failure.tsx';
import { Loading } from '../shell/loading.tsx';
import { PageHeader } from '../shell/page-header.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { formQuery, policyRead } from './form-queries.ts';
import { POLICY_LIST } from './paths.ts';
import { PolicyForm } from './policy-form.tsx';
import { storedPolicy, type WholePolicy } from './policy-item.ts';

const NEW: WholePolicy = {
  ...{ id: '', name: '', icon: 'badge', description: null, ip_access: null },
  ...{ enforce_tfa: false, admin_access: false, app_access: true, permissions: [] },
};

export function Component() {
  const translate = useTranslate();
  const { policy: id = NEW_ITEM } = useParams();
  const isNew = id === NEW_ITEM;
  const policy = useQuery({ ...formQuery(policyRead(id)), enabled: !isNew });
  const collections = useQuery(collectionsQuery);
  const fresh = useMemo(
    () => collections.data && storedPolicy(NEW, collections.data.keys(), null),
    [collections.data],
  );
  const stored = isNew ? fresh : policy.data;
  const error = policy.error ?? collections.error;
  if (error !== null) {
    return (
      <>
        <PageHeader title={translate('access.policyTitle')} back={POLICY_LIST} />
        <Failure
          error={error}
          retry={() => Promise.all([policy.refetch(), collections.refetch()])}
        />
      </>
    );
  }
  if (stored === undefined || collections.isPending) return <Loading />;
  return <PolicyForm key={id} stored={stored} isNew={isNew} />;
}
