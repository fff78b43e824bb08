/** The collection and service on which item handlers work. */
import type { ItemService } from '#core/services/items.ts';
import type { RequestTarget } from '#core/services/request-context.ts';

/** The collection of a call, and the service for it. */
export interface ServedCollection {
  readonly items: ItemService;
  readonly target: RequestTarget;
}
