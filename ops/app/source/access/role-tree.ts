/** Roles in the order of their tree. */
import type { Role } from './access-types.ts';

export interface RoleAt {
  readonly role: Role;
  /** How many roles are above it. */
  readonly depth: number;
}

/** Each role below its parent; one whose parent is not known stands alone. */
export function roleTree(roles: readonly Role[]): readonly RoleAt[] {
  const known = new Set(roles.map(({ id }) => id));
  const children = Map.groupBy(roles, ({ parent }) =>
    parent !== null && known.has(parent) ? parent : null,
  );
  const below = (parent: string | null, depth: number): readonly RoleAt[] =>
    (children.get(parent) ?? []).flatMap((role) => [{ role, depth }, ...below(role.id, depth + 1)]);
  return below(null, 0);
}

/** A role, then those above it, the nearest first. One that is above itself ends the way. */
export function roleChain(roles: readonly Role[], id: string | null): readonly Role[] {
  const chain: Role[] = [];
  let next = roles.find((role) => role.id === id);
  while (next !== undefined && !chain.includes(next)) {
    chain.push(next);
    const { parent } = next;
    next = roles.find((role) => role.id === parent);
  }
  return chain;
}
