/** Where the caller is logged in, and how a login ends. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Chip from '@mui/material/Chip';
import Typography from '@mui/material/Typography';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { OwnSession } from '../../../client/source/index.ts';
import { client } from '../data/client.ts';
import { useFormatDate } from '../display/use-format-date.ts';
import { ConfirmDialog } from '../shell/confirm-dialog.tsx';
import { Failure } from '../shell/failure.tsx';
import { Loading } from '../shell/loading.tsx';
import { notify } from '../shell/notify.ts';
import { Part } from '../shell/part.tsx';
import { Icon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { sessionsQuery } from './profile-query.ts';
import { agentOf } from './user-agent.ts';

interface SessionRowProps {
  readonly session: OwnSession;
  readonly onEnd: () => void;
}

function SessionRow({ session, onEnd }: SessionRowProps) {
  const translate = useTranslate();
  const formatDate = useFormatDate();
  const { name, isMobile } = agentOf(session.user_agent);
  const called = name ?? translate('profile.unknownClient');
  const time = (key: string, iso: string | null) =>
    iso === null ? null : translate(key, { time: formatDate('timestamp', iso) });
  const facts = [
    session.ip,
    time('profile.signedIn', session.created_on),
    time('profile.renewed', session.renewed_on),
  ];
  return (
    <Box
      component="li"
      sx={{
        ...{ display: 'flex', alignItems: 'center', gap: 1.5, py: 1.25 },
        '& + &': { borderTop: 1, borderColor: 'divider' },
      }}
    >
      <Icon name={isMobile ? 'smartphone' : 'computer'} sx={{ color: 'text.secondary' }} />
      <Box sx={{ flex: 1, minWidth: 0 }}>
        <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1 }}>
          <Typography sx={{ fontWeight: 600 }} title={session.user_agent ?? undefined}>
            {called}
          </Typography>
          {session.current && (
            <Chip size="small" color="success" label={translate('profile.thisSession')} />
          )}
        </Box>
        <Typography variant="body2" color="textSecondary" sx={{ overflowWrap: 'anywhere' }}>
          {facts.filter((fact) => fact !== null).join(' · ')}
        </Typography>
      </Box>
      {!session.current && (
        <Button
          color="error"
          aria-label={translate('profile.endSessionOf', { client: called, ip: session.ip ?? '' })}
          onClick={onEnd}
        >
          {translate('profile.endSession')}
        </Button>
      )}
    </Box>
  );
}

/** A session that is to end, or all others. */
type Ended = OwnSession | 'others';

export function SessionsPart() {
  const translate = useTranslate();
  const queryClient = useQueryClient();
  const sessions = useQuery(sessionsQuery);
  const [asking, setAsking] = useState<Ended | null>(null);
  const end = useMutation({
    mutationFn: (ended: Ended) =>
      ended === 'others' ? client.me.sessions.endOthers() : client.me.sessions.end(ended.id),
    onSuccess: (_, ended) => {
      setAsking(null);
      notify(ended === 'others' ? 'profile.othersEnded' : 'profile.sessionEnded', {
        type: 'success',
      });
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  });
  const ask = (ended: Ended) => {
    end.reset();
    setAsking(ended);
  };
  const { data, error } = sessions;
  const hasOthers = data?.some(({ current }) => !current) ?? false;
  return (
    <Part title={translate('profile.sessions')} help={translate('profile.sessionsHelp')}>
      {data === undefined ? (
        error === null ? (
          <Loading />
        ) : (
          <Failure error={error} retry={() => sessions.refetch()} />
        )
      ) : (
        <Box
          component="ul"
          aria-label={translate('profile.sessions')}
          sx={{ listStyle: 'none', m: 0, p: 0 }}
        >
          {data.map((session) => (
            <SessionRow key={session.id} session={session} onEnd={() => ask(session)} />
          ))}
        </Box>
      )}
      {hasOthers && (
        <Button
          variant="outlined"
          color="error"
          onClick={() => ask('others')}
          sx={{ justifySelf: 'start' }}
        >
          {translate('profile.endOthers')}
        </Button>
      )}
      {asking !== null && (
        <ConfirmDialog
          open
          title={translate(asking === 'others' ? 'profile.endOthersTitle' : 'profile.endTitle')}
          confirm={translate(asking === 'others' ? 'profile.endOthers' : 'profile.endSession')}
          busy={end.isPending}
          error={end.error}
          onConfirm={() => end.mutate(asking)}
          onClose={() => setAsking(null)}
        >
          {translate('profile.endText')}
        </ConfirmDialog>
      )}
    </Part>
  );
}
