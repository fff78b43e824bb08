/** What somebody sees whose policies do not let him use the App: who can help, and the way out. */
import Button from '@mui/material/Button';
import { useQueryClient } from '@tanstack/react-query';
import { CALLER } from '../data/query-keys.ts';
import { useTranslate } from '../translation/use-translate.ts';
import { PublicPage } from './public-page.tsx';
import { useSignOut } from './use-sign-out.ts';

export default function NoAppPage() {
  const translate = useTranslate();
  const signOut = useSignOut();
  const queryClient = useQueryClient();
  return (
    <PublicPage title={translate('signIn.noAppTitle')} help={translate('signIn.noAppHelp')}>
      <Button
        variant="outlined"
        onClick={() => queryClient.invalidateQueries({ queryKey: [CALLER] })}
        sx={{ mt: 1, mr: 1 }}
      >
        {translate('shell.retry')}
      </Button>
      <Button onClick={signOut} sx={{ mt: 1 }}>
        {translate('shell.signOut')}
      </Button>
    </PublicPage>
  );
}
