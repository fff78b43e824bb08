/** For journals of tests in which nobody hears of changes. */
import type { ChangeFeed } from '#core/write/changes/change-feed.ts';

export const NO_CHANGE_FEED: Pick<ChangeFeed, 'begin'> = {
  begin: () => ({ publish: () => undefined, publishAsUncertain: () => undefined }),
};
