/** The calls about whoever is signed in: his account, his rights, his second factor. */
import type { CallOptions } from './options.ts';
import { type Key, keySegment } from './path.ts';
import { type LooseQuery, membersOf } from './query.ts';
import type { Transport } from './transport.ts';
import type { AnySchema, Checked, ItemChanges, ItemOf, ItemQuery } from './types/index.ts';

/** What one may do with the items of a collection. */
export interface ActionRights {
  readonly access: 'none' | 'partial' | 'full';
  readonly fields?: readonly string[];
  readonly presets?: Readonly<Record<string, unknown>>;
}

export type Action = 'create' | 'read' | 'update' | 'delete' | 'share';

/** By collection and action. */
export type OwnRights = Readonly<Record<string, Readonly<Record<Action, ActionRights>>>>;

/** What one may do with one item. */
export interface ItemRights {
  readonly update: { readonly access: boolean; readonly fields?: readonly string[] };
  readonly delete: { readonly access: boolean };
  readonly share: { readonly access: boolean };
}

export interface OwnAccess {
  readonly app_access: boolean;
  readonly admin_access: boolean;
  readonly enforce_tfa: boolean;
}

export interface TfaSecret {
  readonly secret: string;
  /** For the code that an application scans. */
  readonly otpauth_url: string;
}

/** One login of the caller. */
export interface OwnSession {
  readonly id: string;
  /** Null when an older release began the session. */
  readonly created_on: string | null;
  /** When the session began or was last renewed; null when an older release did it. */
  readonly renewed_on: string | null;
  readonly expires: string;
  readonly ip: string | null;
  readonly user_agent: string | null;
  readonly origin: string | null;
  /** The session of this request. */
  readonly current: boolean;
}

/** What a change of one's own user may have beside its fields. */
export interface OwnConfirmation {
  /** The present password, which a new e-mail address or password needs unless the login is recent. */
  readonly current_password?: string;
}

type Nothing = Record<never, never>;
type Own = 'system_users';

/** `S` is a schema that knows `system_users`. */
export interface Me<S = AnySchema> {
  read<const Q extends ItemQuery<S, Own> = Nothing>(
    query?: Q & Checked<S, Own, Q, ItemQuery<S, Own>>,
    options?: CallOptions,
  ): Promise<ItemOf<S, Own, Q>>;
  update<const Q extends ItemQuery<S, Own> = Nothing>(
    changes: ItemChanges<S, Own> & OwnConfirmation,
    query?: Q & Checked<S, Own, Q, ItemQuery<S, Own>>,
    options?: CallOptions,
  ): Promise<ItemOf<S, Own, Q> | null>;
  roles(query?: LooseQuery, options?: CallOptions): Promise<Record<string, unknown>[]>;
  /** Whether the caller administers, uses the Admin App, or needs a second factor. */
  access(options?: CallOptions): Promise<OwnAccess>;
  /** The rights on all collections. */
  permissions(options?: CallOptions): Promise<OwnRights>;
  /** The rights on one item, or on a collection without a key. */
  permissionsOn(collection: string, key?: Key, options?: CallOptions): Promise<ItemRights>;
  /** Stores where in the Admin App the caller is. */
  trackPage(page: string, options?: CallOptions): Promise<void>;
  readonly sessions: {
    /** The live sessions of the caller; the most recently renewed one first. */
    list(options?: CallOptions): Promise<OwnSession[]>;
    end(id: string, options?: CallOptions): Promise<void>;
    /** Ends all sessions but the own one. */
    endOthers(options?: CallOptions): Promise<void>;
  };
  readonly tfa: {
    generate(password: string, options?: CallOptions): Promise<TfaSecret>;
    /** Ends the other sessions of the user. */
    enable(secret: string, otp: string, options?: CallOptions): Promise<void>;
    disable(otp: string, options?: CallOptions): Promise<void>;
  };
}

export function createMe<S = AnySchema>({ request }: Transport): Me<S> {
  const path = '/users/me';
  const members = (query: object = {}) => membersOf(query);
  return {
    read: (query, options) => request('GET', path, { ...options, query: members(query) }),
    update: (body, query, options) =>
      request('PATCH', path, { ...options, query: members(query), body }),
    roles: (query, options) => request('GET', '/roles/me', { ...options, query: members(query) }),
    access: (options) => request('GET', '/policies/me/globals', options),
    permissions: (options) => request('GET', '/permissions/me', options),
    permissionsOn: (collection, key, options) => {
      const item = key === undefined ? '' : `/${keySegment(key)}`;
      return request('GET', `/permissions/me/${encodeURIComponent(collection)}${item}`, options);
    },
    trackPage: (page, options) =>
      request('PATCH', `${path}/track/page`, { ...options, body: { last_page: page } }),
    sessions: {
      list: (options) => request('GET', `${path}/sessions`, options),
      end: (id, options) =>
        request('DELETE', `${path}/sessions/${encodeURIComponent(id)}`, options),
      endOthers: (options) => request('DELETE', `${path}/sessions`, options),
    },
    tfa: {
      // A wrong password is told by the code of a wrong token, which must not be tried again.
      generate: (password, options) =>
        request('POST', `${path}/tfa/generate`, { ...options, body: { password }, renew: false }),
      enable: (secret, otp, options) =>
        request('POST', `${path}/tfa/enable`, { ...options, body: { secret, otp } }),
      disable: (otp, options) =>
        request('POST', `${path}/tfa/disable`, { ...options, body: { otp } }),
    },
  };
}
