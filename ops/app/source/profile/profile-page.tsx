/** The profile of the caller: name, picture, language, password, second factor, sessions. */
import { useQuery } from '@tanstack/react-query';
import { useRights } from '../data/queries.ts';
import { Failure } from '../shell/failure.tsx';
import { Loading } from '../shell/loading.tsx';
import { PageHeader } from '../shell/page-header.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { ProfileForm } from './profile-form.tsx';
import { profileQuery } from './profile-query.ts';

export function Component() {
  const translate = useTranslate();
  const profile = useQuery(profileQuery(useRights()));
  if (profile.data !== undefined) return <ProfileForm profile={profile.data} />;
  return (
    <>
      <PageHeader title={translate('profile.title')} />
      {profile.error === null ? (
        <Loading />
      ) : (
        <Failure error={profile.error} retry={() => profile.refetch()} />
      )}
    </>
  );
}
