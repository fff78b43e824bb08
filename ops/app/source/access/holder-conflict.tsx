/** Somebody else has saved the role or the user meanwhile: both sides are shown, and one chooses. */
import { useQuery } from '@tanstack/react-query';
import { useTranslate } from 'ra-core';
import { ConflictDialog } from '../form/conflict-dialog.tsx';
import { policiesQuery, rolesQuery } from './access-queries.ts';
import type { StoredHolder } from './holder-queries.ts';
import { type HolderDraft, holderItem } from './use-holder-draft.ts';
import type { HolderSending } from './use-holder-save.ts';

export interface HolderConflictProps<T extends object> {
  readonly draft: HolderDraft<T>;
  readonly theirs: StoredHolder<T>;
  readonly busy: boolean;
  /** What a field is called. */
  readonly nameOf: (field: string) => string;
  readonly onSave: (sending: HolderSending) => void;
  readonly onClose: () => void;
}

const NOTHING: readonly { readonly id: string; readonly name: string }[] = [];
/** Fields that hold the key of a role. */
const OF_ROLE = new Set(['role', 'parent']);

export function HolderConflict<T extends object>(props: HolderConflictProps<T>) {
  const { draft, theirs, busy, nameOf, onSave, onClose } = props;
  const translate = useTranslate();
  const roles = useQuery(rolesQuery).data ?? NOTHING;
  const policies = useQuery(policiesQuery).data ?? NOTHING;
  const called = (known: typeof NOTHING, id: unknown) =>
    known.find((one) => one.id === id)?.name ?? String(id);
  const say = (field: string, value: unknown) => {
    if (Array.isArray(value)) return value.map((id) => called(policies, id)).join(', ') || '–';
    if (value === null || value === undefined || value === '') return '–';
    if (OF_ROLE.has(field)) return called(roles, value);
    return field === 'status' ? translate(`access.status.${value}`) : String(value);
  };
  return (
    <ConflictDialog
      words={{ nameOf, say }}
      base={draft.base}
      mine={draft.mine}
      theirs={holderItem(theirs)}
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
