/** The requests and the events of subscribers. */
import type { Caller } from '#core/access/grants.ts';
import type { UnparsedQuery } from '#core/read/statement-cache.ts';
import type { KeyedItem } from './keyed-query.ts';

export const LIVE_ACTIONS = ['create', 'update', 'delete'] as const;
/** The kind of a change to items. */
export type LiveAction = (typeof LIVE_ACTIONS)[number];

/** An event for a subscriber; keys are in the format of a path. */
export type LiveEvent =
  | { readonly action: 'create' | 'update'; readonly items: readonly KeyedItem[] }
  | { readonly action: 'delete'; readonly keys: readonly string[] };

/** A subscriber of a collection. Its methods must not throw. */
export interface Subscriber {
  readonly collection: string;
  /** The fields and filter for events; its paging parameters are ignored. */
  readonly question: UnparsedQuery;
  readonly actions: ReadonlySet<LiveAction>;
  /** The key of the only relevant item, in the format of a path; null: all items. */
  readonly item: string | null;
  /**
   * The current caller; the same object while it is unchanged.
   * @throws ServiceError when the credentials are no longer valid
   */
  caller(): Promise<Caller>;
  hear(event: LiveEvent): void;
  /** Changes may have happened without an event. */
  miss(reason: string): void;
  /** The subscription has ended because permission for it was lost. */
  lose(error: unknown): void;
}
