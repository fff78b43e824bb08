/** The page to sign in. `?next=` is where to go then; `?confirmed` says that the address is. */
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link as RouterLink, useNavigate, useSearchParams } from 'react-router-dom';
import { projectQuery } from '../data/queries.ts';
import { useTranslate } from '../translation/use-translate.ts';
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
  const project = useQuery(projectQuery).data;
  const next = parameters.get('next');
  const enter = async () => {
    queryClient.clear();
    await navigate(safeTarget(next), { replace: true });
  };
  return (
    <PublicPage title={translate('signIn.title')}>
      {parameters.has('confirmed') && (
        <Alert severity="success" role="status">
          {translate('signIn.verified')}
        </Alert>
      )}
      <SignInForm onSignedIn={enter} />
      <Box sx={{ display: 'flex', flexWrap: 'wrap', columnGap: 3, rowGap: 1, mt: 2 }}>
        <Link component={RouterLink} to="/forgotten-password">
          {translate('signIn.forgotten')}
        </Link>
        {project?.public_registration === true && (
          <Link component={RouterLink} to="/register">
            {translate('signIn.register')}
          </Link>
        )}
      </Box>
    </PublicPage>
  );
}
