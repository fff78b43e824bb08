/** What subscribers ask for, and what they are told. */
import type { Caller } from '#core/access/grants.ts';
import type { UnparsedQuery } from '#core/read/statement-cache.ts';
import type { KeyedItem } from './keyed-query.ts';

export const LIVE_ACTIONS = ['create', 'update', 'delete'] as const;
/** What happened to items. */
export type LiveAction = (typeof LIVE_ACTIONS)[number];

/** What a subscriber is told; keys are as in a path. */
export type LiveEvent =
  | { readonly action: 'create' | 'update'; readonly items: readonly KeyedItem[] }
  | { readonly action: 'delete'; readonly keys: readonly string[] };

/** Somebody who wants to hear of a collection. Its methods must not throw. */
export interface Subscriber {
  readonly collection: string;
  /** What is told of an item, and of which; of its page nothing applies. */
  readonly question: UnparsedQuery;
  readonly actions: ReadonlySet<LiveAction>;
  /** The key of the only item that matters, as in a path; null: all. */
  readonly item: string | null;
  /**
   * The caller now; the same object as long as nothing changed.
   * @throws ServiceError when the credentials are not valid any more
   */
  caller(): Promise<Caller>;
  hear(event: LiveEvent): void;
  /** Something may have happened that is not told. */
  miss(reason: string): void;
  /** It will hear nothing more: the right to it was lost. */
  lose(error: unknown): void;
}
