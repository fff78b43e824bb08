/** What the palette offers, and which of it fits what was typed. */
import type { ReactNode } from 'react';
import { matchScore } from './match.ts';

export const GROUPS = ['recent', 'collections', 'items', 'pages', 'actions'] as const;
export type Group = (typeof GROUPS)[number];

export interface Entry {
  readonly id: string;
  readonly group: Group;
  readonly title: string;
  /** What stands beside the title: the collection of an item, the section of a page. */
  readonly detail?: string;
  readonly icon: ReactNode;
  /** Other words by which it is found. */
  readonly words?: string;
  /** Whether it is offered before something was typed. */
  readonly atOnce?: boolean;
  /** Found by the server, so that it fits. */
  readonly isFound?: boolean;
  /** The path that it leads to, or what it does. */
  readonly to?: string;
  readonly act?: () => void;
}

/** How many of a group are shown. */
const SHOWN = 6;

/** The best entries of each group, the group with the best of them first. */
export function fittingEntries(entries: readonly Entry[], typed: string): readonly Entry[] {
  const isEmpty = typed.trim() === '';
  const scoreOf = ({ title, words = '', detail = '', atOnce = false, isFound }: Entry) => {
    if (isEmpty) return atOnce ? 1 : 0;
    // The words of an item stand in other fields, too.
    if (isFound) return Math.max(matchScore(typed, title), 0.1);
    const score = matchScore(typed, title);
    return score > 0 ? score : matchScore(typed, `${title} ${detail} ${words}`) / 2;
  };
  const scored = entries
    .map((entry) => ({ entry, score: scoreOf(entry) }))
    .filter(({ score }) => score > 0);
  const groups = GROUPS.map((group) =>
    scored
      .filter(({ entry }) => entry.group === group)
      .toSorted((one, other) => other.score - one.score)
      .slice(0, SHOWN),
  );
  return groups
    .toSorted((one, other) => (other[0]?.score ?? 0) - (one[0]?.score ?? 0))
    .flatMap((group) => group.map(({ entry }) => entry));
}
