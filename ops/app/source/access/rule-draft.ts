/** Rules as the drawer edits them: filters as trees, which may have conditions that are not complete. */
import type { Item } from '../data/schema-types.ts';
import {
  countConditions,
  type Group,
  hasIncomplete,
  readFilter,
  writeFilter,
} from '../filter/filter-tree.ts';
import { FULL_RULE, type Rule } from './permission-rules.ts';

export interface RuleDraft {
  /** By which the page knows it again. */
  readonly number: number;
  readonly allItems: boolean;
  readonly filter: Group;
  readonly validation: Group;
  readonly presets: Item;
  readonly fields: readonly string[];
}

let drafts = 0;

export function readRule(rule: Rule): RuleDraft {
  drafts += 1;
  const filter = readFilter(rule.permissions);
  return {
    number: drafts,
    allItems: filter.members.length === 0,
    filter,
    validation: readFilter(rule.validation),
    presets: rule.presets ?? {},
    fields: rule.fields,
  };
}

/** A rule that begins without any limit. */
export function newDraft(): RuleDraft {
  return readRule(FULL_RULE);
}

/** Whether the draft chooses items by conditions, but has none that counts. */
function lacksCondition({ allItems, filter }: RuleDraft): boolean {
  return !allItems && countConditions(filter) === 0;
}

/** Whether a rule can be written that says no more and no less than the draft. */
export function isWhole(draft: RuleDraft): boolean {
  const { allItems, filter, validation } = draft;
  if (lacksCondition(draft) || hasIncomplete(validation)) return false;
  return allItems || !hasIncomplete(filter);
}

export function writeRule(draft: RuleDraft): Rule {
  const { allItems, filter, validation, presets, fields } = draft;
  return {
    permissions: allItems ? null : writeFilter(filter),
    validation: writeFilter(validation),
    presets: Object.keys(presets).length === 0 ? null : presets,
    fields,
  };
}
