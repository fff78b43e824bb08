/** Links with which users set their password, for administrators who hand them over themselves. */
import { client } from '../data/client.ts';

interface AccountLink {
  readonly purpose: 'invitation' | 'password-reset';
  readonly url: string;
}

/** Makes a link for an invited or active user. @throws why there is none */
export async function makeLink(user: string): Promise<string> {
  const path = `/users/${encodeURIComponent(user)}/link`;
  const { url } = await client.request<AccountLink>('POST', path, { repeat: false });
  return url;
}
