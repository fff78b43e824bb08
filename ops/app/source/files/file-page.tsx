/** The screen of a file: it reads what the form begins with. */
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router-dom';
import { useRights } from '../data/queries.ts';
import { isPicture } from '../display/file-sign.tsx';
import { Failure } from '../shell/failure.tsx';
import { Loading } from '../shell/loading.tsx';
import { PageHeader } from '../shell/page-header.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { FileForm } from './file-form.tsx';
import { fileFormQuery, fileQuery } from './file-query.ts';
import { LIBRARY } from './library-query.ts';

/** A picture is measured by a worker: so often, and after so long (ms), it is asked for its size again. */
const MOST_ASKED = 10;
const ASK_AGAIN_MS = 2_000;

export function Component() {
  const translate = useTranslate();
  const rights = useRights();
  const { file: id = '' } = useParams();
  const file = useQuery({
    ...fileQuery(id, rights),
    refetchInterval: ({ state: { data, dataUpdateCount } }) => {
      const isUnmeasured = data !== undefined && isPicture(data) && !(Number(data.width) > 0);
      return isUnmeasured && dataUpdateCount < MOST_ASKED ? ASK_AGAIN_MS : false;
    },
  });
  const form = useQuery(fileFormQuery(id, rights));
  const error = file.error ?? form.error;
  if (file.data !== undefined && form.data !== undefined) {
    return <FileForm key={id} file={{ ...file.data, id }} stored={form.data} />;
  }
  return (
    <>
      <PageHeader title={translate('files.file')} back={LIBRARY} />
      {error === null ? (
        <Loading />
      ) : (
        <Failure error={error} retry={() => Promise.all([file.refetch(), form.refetch()])} />
      )}
    </>
  );
}
