/** The page to sign in. `?next=` is where to go then. */
import Alert from '@mui/material/Alert';
import Link from '@mui/material/Link';
import { useQueryClient } from '@tanstack/react-query';
import { useTranslate } from 'ra-core';
import { Link as RouterLink, useNavigate, useSearchParams } from 'react-router-dom';
import { PublicPage } from './public-page.tsx';
import { SignInForm } from './sign-in-form.tsx';

/** A path of the App alone; never an address of somebody else. */
function safeTarget(next: string | null): string {
  return next?.startsWith('/') && !next.startsWith('//') && !next.includes('\\') ? next : '/';
}

export function Component() {
  const translate = useTranslate();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [parameters] = useSearchParams();
  const next = parameters.get('next');
  const enter = async () => {
    queryClient.clear();
    await navigate(safeTarget(next), { replace: true });
  };
  return (
    <PublicPage title={translate('signIn.title')}>
      {next?.startsWith('/users/') && (
        <Alert severity="success">{translate('signIn.verified')}</Alert>
      )}
      <SignInForm onSignedIn={enter} />
      <Link component={RouterLink} to="/forgotten-password" sx={{ display: 'inline-block', mt: 2 }}>
        {translate('signIn.forgotten')}
      </Link>
    </PublicPage>
  );
}
