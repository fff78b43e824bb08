/** How the members of a role or a user are called, and how their values are told. */
import { useQuery } from '@tanstack/react-query';
import type { ConflictWords } from '../draft/conflict-dialog.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { policiesQuery, rolesQuery } from './access-queries.ts';

const NOTHING: readonly { readonly id: string; readonly name: string }[] = [];
/** Fields that hold the key of a role. */
const OF_ROLE = new Set(['role', 'parent']);

/** @param prefix of the keys of names */
export function useHolderWords(prefix: string): ConflictWords {
  const translate = useTranslate();
  const roles = useQuery(rolesQuery).data ?? NOTHING;
  const policies = useQuery(policiesQuery).data ?? NOTHING;
  const called = (known: typeof NOTHING, id: unknown) =>
    known.find((one) => one.id === id)?.name ?? String(id);
  return {
    nameOf: (field) => translate(field === 'policies' ? 'access.policies' : `${prefix}${field}`),
    say(field, value) {
      if (Array.isArray(value)) return value.map((id) => called(policies, id)).join(', ') || '–';
      if (value === null || value === undefined || value === '') return '–';
      if (OF_ROLE.has(field)) return called(roles, value);
      return field === 'status' ? translate(`access.status.${value}`) : String(value);
    },
  };
}
