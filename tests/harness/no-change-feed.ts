/** For test journals whose changes have no subscribers. */
import type { ChangeFeed } from '#core/write/changes/change-feed.ts';

export const NO_CHANGE_FEED: Pick<ChangeFeed, 'begin'> = {
  begin: () => ({ publish: () => undefined, publishAsUncertain: () => undefined }),
};
