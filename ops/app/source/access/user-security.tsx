/** The token with which programs speak as a user, and his second factor. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { client } from '../data/client.ts';
import { useIsAdministrator } from '../data/queries.ts';
import { ConfirmDialog } from '../shell/confirm-dialog.tsx';
import { FailureAlert } from '../shell/failure-alert.tsx';
import { notify } from '../shell/notify.ts';
import { Part } from '../shell/part.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { USERS, type User } from './access-types.ts';
import { makeLink } from './account-link.ts';
import { TokenDialog } from './token-dialog.tsx';
import { useAccessChanged } from './use-access-changed.ts';

export interface UserSecurityProps {
  readonly user: User;
  readonly readOnly: boolean;
}

/** A random text that nobody guesses: 32 bytes, as letters and digits of URLs. */
function makeToken(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

interface RowProps {
  readonly title: string;
  readonly state: string;
  readonly children: ReactNode;
}

function Row({ title, state, children }: RowProps) {
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1.5 }}>
      <Box sx={{ flex: '1 1 220px' }}>
        <Typography variant="h3">{title}</Typography>
        <Typography variant="body2" color="text.secondary">
          {state}
        </Typography>
      </Box>
      {children}
    </Box>
  );
}

type Question = 'renew' | 'withdraw' | 'resetFactor';

export function UserSecurity({ user, readOnly }: UserSecurityProps) {
  const translate = useTranslate();
  const administrator = useIsAdministrator();
  const accessChanged = useAccessChanged();
  const [asking, setAsking] = useState<Question | null>(null);
  const [shown, setShown] = useState<string | null>(null);
  const act = useMutation({
    mutationFn: async (question: Question): Promise<string | null> => {
      if (question === 'resetFactor') {
        await client.request('POST', `/users/${encodeURIComponent(user.id)}/tfa/disable`);
        return null;
      }
      const token = question === 'renew' ? makeToken() : null;
      await client.items(USERS).update(user.id, { token }, { fields: ['id'] });
      return token;
    },
    onSuccess: async (token, question) => {
      setAsking(null);
      setShown(token);
      if (question === 'withdraw') notify('access.tokenWithdrawn', { type: 'success' });
      if (question === 'resetFactor') notify('access.factorReset', { type: 'success' });
      await accessChanged();
    },
  });
  const link = useMutation({ mutationFn: () => makeLink(user.id) });
  const ask = (question: Question) => {
    act.reset();
    setAsking(question);
  };
  const hasToken = user.token !== null;
  const hasFactor = user.tfa_secret !== null;
  return (
    <Part title={translate('access.security')}>
      <Row
        title={translate('access.token')}
        state={translate(hasToken ? 'access.hasToken' : 'access.noToken')}
      >
        {!readOnly && hasToken && (
          <Button color="error" onClick={() => ask('withdraw')}>
            {translate('access.withdrawToken')}
          </Button>
        )}
        {!readOnly && (
          <Button
            variant="outlined"
            loading={act.isPending}
            onClick={() => (hasToken ? ask('renew') : act.mutate('renew'))}
          >
            {translate(hasToken ? 'access.renewToken' : 'access.makeToken')}
          </Button>
        )}
      </Row>
      <Row
        title={translate('access.factor')}
        state={translate(hasFactor ? 'access.hasFactor' : 'access.noFactor')}
      >
        {administrator && hasFactor && (
          <Button color="error" onClick={() => ask('resetFactor')}>
            {translate('access.resetFactor')}
          </Button>
        )}
      </Row>
      {administrator && (user.status === 'invited' || user.status === 'active') && (
        <Row
          title={translate('access.link')}
          state={translate(
            user.status === 'invited' ? 'access.linkOfInvited' : 'access.linkOfActive',
          )}
        >
          <Button variant="outlined" loading={link.isPending} onClick={() => link.mutate()}>
            {translate('access.makeLink')}
          </Button>
        </Row>
      )}
      <FailureAlert error={link.error} />
      {asking !== null && (
        <ConfirmDialog
          open
          title={translate(`access.${asking}Title`)}
          confirm={translate(`access.${asking}Confirm`)}
          busy={act.isPending}
          error={act.error}
          onConfirm={() => act.mutate(asking)}
          onClose={() => setAsking(null)}
        >
          {translate(`access.${asking}Text`)}
        </ConfirmDialog>
      )}
      {shown !== null && (
        <TokenDialog
          title={translate('access.newToken')}
          text={translate('access.newTokenText')}
          secret={shown}
          onClose={() => setShown(null)}
        />
      )}
      {link.data !== undefined && (
        <TokenDialog
          title={translate('access.link')}
          text={translate('access.linkText')}
          secret={link.data}
          onClose={() => link.reset()}
        />
      )}
    </Part>
  );
}
