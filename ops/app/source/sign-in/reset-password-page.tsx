/** Where the link of a mail for a password reset leads. */
import { client } from '../data/client.ts';
import { NewPasswordPage } from './new-password-page.tsx';

const TEXTS = {
  title: 'signIn.resetTitle',
  submit: 'signIn.resetSubmit',
  done: 'signIn.resetDone',
};

export function Component() {
  const send = (token: string, password: string) => client.auth.resetPassword(token, password);
  return <NewPasswordPage texts={TEXTS} send={send} />;
}
