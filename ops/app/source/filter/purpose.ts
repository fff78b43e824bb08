/** What a filter is edited for, on which it depends what it can compare with. */
import { createContext } from 'react';

/**
 * `search` chooses items for whoever asks; a `rule` is stored and holds for many callers, so that it
 * speaks of the current one; a `validation` judges what is sent.
 */
export type Purpose = 'search' | 'rule' | 'validation';

export const PurposeContext = createContext<Purpose>('search');

/** Whether the editor marks conditions that are not complete, once a person wants to keep the filter. */
export const MarksIncompleteContext = createContext(false);

/** Further variables that a condition of a rule can compare with, such as those of a dashboard. */
export const MoreVariablesContext = createContext<readonly string[]>([]);
