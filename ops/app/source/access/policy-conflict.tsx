/** Somebody else has saved the policy meanwhile: both sides are shown, and one chooses. */
import { useLocaleState, useTranslate } from 'ra-core';
import { useCollections } from '../data/queries.ts';
import { ConflictDialog } from '../form/conflict-dialog.tsx';
import { collectionName } from '../translation/names.ts';
import type { StoredPolicy } from './access-queries.ts';
import { ACTIONS } from './access-types.ts';
import { cellsOf, type Rule } from './permission-rules.ts';
import { RuleWords } from './rule-words.tsx';
import { CELL, type PolicyDraft, storedItem } from './use-policy-draft.ts';
import type { PolicySave } from './use-policy-save.ts';

export interface PolicyConflictProps {
  readonly draft: PolicyDraft;
  readonly theirs: StoredPolicy;
  readonly busy: boolean;
  readonly onSave: (sending: PolicySave) => void;
  readonly onClose: () => void;
}

const NAMED = new Set(['name', 'icon', 'description']);

/** The action and the collection of a cell; null for a field. */
function cellOf(name: string) {
  if (!name.startsWith(CELL)) return null;
  const key = name.slice(CELL.length);
  const action = ACTIONS.find((one) => key.startsWith(`${one} `));
  return action === undefined ? null : { action, collection: key.slice(action.length + 1) };
}

export function PolicyConflict({ draft, theirs, busy, onSave, onClose }: PolicyConflictProps) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const collections = useCollections();
  const nameOf = (name: string) => {
    const cell = cellOf(name);
    if (cell === null)
      return translate(NAMED.has(name) ? `access.${name}` : `access.policy.${name}`);
    const known = collections.get(cell.collection);
    const collection = known === undefined ? cell.collection : collectionName(known, locale);
    return `${collection}: ${translate(`access.action.${cell.action}`)}`;
  };
  const say = (name: string, value: unknown) => {
    const cell = cellOf(name);
    if (cell !== null) {
      const rules = Array.isArray(value) ? value.map((rule: Rule) => rule) : [];
      return <RuleWords {...cell} rules={rules} />;
    }
    if (typeof value === 'boolean') return translate(value ? 'access.yes' : 'access.no');
    const text = Array.isArray(value) ? value.join(', ') : String(value ?? '');
    return text === '' ? '–' : text;
  };
  const cells = cellsOf(theirs.policy.permissions);
  return (
    <ConflictDialog
      words={{ nameOf, say }}
      base={draft.base}
      mine={draft.mine}
      theirs={storedItem(theirs, cells, draft.cellChanges)}
      busy={busy}
      onSave={(resolved) => {
        const payload = draft.rebase(theirs, new Set(Object.keys(resolved)));
        if (Object.keys(payload).length === 0) onClose();
        else onSave({ payload, tag: theirs.tag, mine: resolved });
      }}
      onClose={onClose}
    />
  );
}
