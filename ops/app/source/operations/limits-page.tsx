/** What this installation allows: requests, queries, files, connections that stay open; and its version. */
import Box from '@mui/material/Box';
import { useQuery } from '@tanstack/react-query';
import { client } from '../data/client.ts';
import { isItem } from '../data/values.ts';
import { formatNumber } from '../display/format.ts';
import { type Fact, Facts } from '../shell/facts.tsx';
import { Failure } from '../shell/failure.tsx';
import { Loading } from '../shell/loading.tsx';
import { PageHeader } from '../shell/page-header.tsx';
import { FORM, Part } from '../shell/part.tsx';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';

function Group({ name, facts }: { readonly name: string; readonly facts: readonly Fact[] }) {
  return (
    <Part title={name}>
      <Facts facts={facts} />
    </Part>
  );
}

export function Component() {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const info = useQuery({
    queryKey: ['limits'],
    queryFn: ({ signal }) => client.server.info({ signal }),
  });
  if (info.isPending) return <Loading />;
  const title = translate('operations.limits');
  if (info.isError) {
    return (
      <>
        <PageHeader title={title} />
        <Failure error={info.error} retry={() => info.refetch()} />
      </>
    );
  }
  const { rateLimit, rateLimitGlobal, queryLimit, files, uploads, websocket, version } = info.data;
  const number = (value: unknown) => formatNumber(value, locale);
  const off = translate('operations.limit.off');
  const none = translate('operations.limit.none');
  const rate = (limit: unknown) =>
    isItem(limit)
      ? translate('operations.limit.rate', {
          points: number(limit.points),
          seconds: number(limit.duration),
        })
      : off;
  const bytes = (value: unknown) =>
    typeof value === 'number' ? translate('operations.bytes', { size: number(value) }) : none;
  const part = (value: unknown, name: string) => (isItem(value) ? value[name] : undefined);
  const most = Number(part(queryLimit, 'max'));
  const types = part(files, 'mimeTypeAllowList');
  const fact = (name: string, value: string): Fact => ({
    name: translate(`operations.limit.${name}`),
    value,
  });
  return (
    <>
      <PageHeader title={title} />
      <Box sx={FORM}>
        <Group
          name={translate('operations.limit.requests')}
          facts={[fact('each', rate(rateLimit)), fact('all', rate(rateLimitGlobal))]}
        />
        <Group
          name={translate('operations.limit.queries')}
          facts={[
            fact('page', number(part(queryLimit, 'default'))),
            fact('most', most < 0 ? none : number(most)),
          ]}
        />
        <Group
          name={translate('operations.limit.files')}
          facts={[
            fact('size', bytes(part(files, 'maxUploadSize'))),
            fact('types', Array.isArray(types) ? types.join(', ') : String(types ?? none)),
            ...(isItem(uploads)
              ? [
                  fact('piece', bytes(uploads.chunkSize)),
                  fact('uploads', number(uploads.maxConcurrency)),
                ]
              : [fact('piece', off)]),
          ]}
        />
        <Group
          name={translate('operations.limit.live')}
          facts={[
            fact('sockets', isItem(websocket) ? translate('operations.limit.on') : off),
            ...(typeof part(websocket, 'heartbeat') === 'number'
              ? [
                  fact(
                    'heartbeat',
                    translate('operations.limit.seconds', {
                      seconds: number(part(websocket, 'heartbeat')),
                    }),
                  ),
                ]
              : []),
          ]}
        />
        <Group
          name={translate('operations.limit.release')}
          facts={[fact('version', String(version ?? ''))]}
        />
      </Box>
    </>
  );
}
