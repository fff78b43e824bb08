/** How the members of a policy are called, and how their values are told. */

import { useCollections } from '../data/queries.ts';
import type { ConflictWords } from '../draft/conflict-dialog.tsx';
import { collectionName } from '../translation/names.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import type { Rule } from './permission-rules.ts';
import { cellOf } from './policy-item.ts';
import { RuleWords } from './rule-words.tsx';

const NAMED = new Set(['name', 'icon', 'description']);

export function usePolicyWords(): ConflictWords {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const collections = useCollections();
  return {
    nameOf(name) {
      const cell = cellOf(name);
      if (cell === null)
        return translate(NAMED.has(name) ? `access.${name}` : `access.policy.${name}`);
      const known = collections.get(cell.collection);
      const collection = known === undefined ? cell.collection : collectionName(known, locale);
      return `${collection}: ${translate(`access.action.${cell.action}`)}`;
    },
    say(name, value) {
      const cell = cellOf(name);
      if (cell !== null) {
        const rules = Array.isArray(value) ? value.map((rule: Rule) => rule) : [];
        return <RuleWords {...cell} rules={rules} />;
      }
      if (typeof value === 'boolean') return translate(value ? 'access.yes' : 'access.no');
      const text = Array.isArray(value) ? value.join(', ') : String(value ?? '');
      return text === '' ? '–' : text;
    },
  };
}
