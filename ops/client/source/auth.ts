/** Login and what belongs to it, for the client that is signed in or wants to be. */
import type { CallOptions } from './options.ts';
import type { Admission, Session, SessionState } from './session.ts';
import type { Transport } from './transport.ts';

export interface Credentials {
  readonly email: string;
  readonly password: string;
  /** The one-time password of an account with two-factor authentication. */
  readonly otp?: string | undefined;
}

export interface Registration {
  readonly email: string;
  readonly password: string;
  readonly first_name?: string | undefined;
  readonly last_name?: string | undefined;
  /** The page of the link in the mail; the server has to allow it. */
  readonly link?: string | undefined;
}

interface LinkOptions extends CallOptions {
  /** The page of the link in the mail; the server has to allow it. */
  readonly link?: string | undefined;
}

export interface Auth {
  readonly state: SessionState;
  /** Calls the listener with each change; yields what ends that. */
  onChange(listener: (state: SessionState) => void): () => void;
  /** @throws InvalidCredentialsError; InvalidOtpError when `otp` is missing or wrong */
  login(credentials: Credentials, options?: CallOptions): Promise<void>;
  logout(options?: CallOptions): Promise<void>;
  /** Refreshes the access token now, whatever is left of it. */
  refresh(options?: CallOptions): Promise<void>;
  /**
   * Takes a session up that cookies or the storage have kept; needed where a page was loaded for the
   * first time since another page of another origin signed in.
   */
  restore(options?: CallOptions): Promise<boolean>;
  /** Signs requests with a static token from now on, or with none. */
  setToken(token: string | null): void;
  /** The access token of now, refreshed where needed; null in mode `session`, and without one. */
  token(): Promise<string | null>;
  requestPasswordReset(email: string, options?: LinkOptions): Promise<void>;
  /** Sets a new password with the token of that mail. */
  resetPassword(token: string, password: string, options?: CallOptions): Promise<void>;
  register(registration: Registration, options?: CallOptions): Promise<void>;
  /** Invites addresses to become users with the role. */
  invite(email: string | readonly string[], role: string, options?: LinkOptions): Promise<void>;
  acceptInvite(token: string, password: string, options?: CallOptions): Promise<void>;
}

export function createAuth(transport: Transport, session: Session): Auth {
  const { mode } = session;
  const post = <T = void>(path: string, body: object, options?: CallOptions, signed = false) =>
    transport.request<T>('POST', path, { ...options, body, signed });

  return {
    get state() {
      return session.state;
    },
    onChange: session.onChange,
    async login({ email, password, otp }, options) {
      const body = { email, password, otp, mode };
      await session.begin(await post<Admission>('/auth/login', body, options));
    },
    async logout(options) {
      const refresh = await session.refreshToken();
      try {
        const body = { mode, ...(refresh && { refresh_token: refresh }) };
        if (session.state.signedIn) await post('/auth/logout', body, options);
      } finally {
        await session.end(true);
      }
    },
    refresh: session.refresh,
    async restore(options) {
      await session.token();
      if (!session.state.signedIn && mode !== 'json') {
        await session.refresh(options).catch(() => undefined);
      }
      return session.state.signedIn;
    },
    setToken: session.useToken,
    token: session.token,
    requestPasswordReset: (email, { link, ...options } = {}) =>
      post('/auth/password/request', { email, reset_url: link }, options),
    resetPassword: (token, password, options) =>
      post('/auth/password/reset', { token, password }, options),
    register: ({ link, ...person }, options) =>
      post('/users/register', { ...person, verification_url: link }, options),
    invite: (email, role, { link, ...options } = {}) =>
      post('/users/invite', { email, role, invite_url: link }, options, true),
    acceptInvite: (token, password, options) =>
      post('/users/invite/accept', { token, password }, options),
  };
}
