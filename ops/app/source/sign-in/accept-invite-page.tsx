/** Where the link of an invitation leads. */
import { client } from '../data/client.ts';
import { NewPasswordPage } from './new-password-page.tsx';

const TEXTS = {
  title: 'signIn.inviteTitle',
  help: 'signIn.inviteHelp',
  submit: 'signIn.inviteSubmit',
  done: 'signIn.inviteDone',
};

export function Component() {
  const send = (token: string, password: string) => client.auth.acceptInvite(token, password);
  return <NewPasswordPage texts={TEXTS} send={send} />;
}
