/**
 * What a user may do, found in policies as the server does it, because the API tells of rights
 * (`/permissions/me`) only to whom they belong. The rules are those of the service:
 *
 * - Policies of the user count, those of the role, and those of each role above it. The public ones,
 *   which belong to nobody, count for whoever has no role (`core/access/account-policies.ts`).
 * - A policy with addresses counts only there (`core/access/access-source.ts`).
 * - `admin_access` of one of them allows everything; `app_access` adds the rights that the API shows
 *   as `system` to administrators and to whom may use the App (`core/access/app-permission.ts`).
 * - Of several permissions for an action, what one allows is allowed; validations all hold.
 */
import type { Access, Permission, Policy, Role } from './access-types.ts';
import { type Cells, cellKey, type Rule, ruleOf } from './permission-rules.ts';
import { roleChain } from './role-tree.ts';

export interface CountingPolicy {
  readonly policy: Policy;
  /** Through what it counts. */
  readonly through: 'user' | 'role' | 'public';
  /** The role that has it. */
  readonly role: Role | null;
}

export interface Holder {
  readonly role: string | null;
  readonly roles: readonly Role[];
  readonly policies: readonly Policy[];
  /** The access of roles and of the public. */
  readonly shared: readonly Access[];
  /** The access of the user. */
  readonly own: readonly Access[];
}

/** The policies of a user, his own first, then those of his role and of the roles above it. */
export function countingPolicies(holder: Holder): readonly CountingPolicy[] {
  const { role, roles, policies, shared, own } = holder;
  const of = (
    rows: readonly Access[],
    through: CountingPolicy['through'],
    at: Role | null,
  ): readonly CountingPolicy[] =>
    rows.flatMap((row) => {
      const policy = policies.find(({ id }) => id === row.policy);
      return policy === undefined ? [] : [{ policy, through, role: at }];
    });
  const found = [
    ...of(own, 'user', null),
    ...roleChain(roles, role).flatMap((at) =>
      of(
        shared.filter((row) => row.role === at.id),
        'role',
        at,
      ),
    ),
    ...(role === null
      ? of(
          shared.filter((row) => row.role === null && row.user === null),
          'public',
          null,
        )
      : []),
  ];
  // The nearest way to a policy is the one that counts.
  return found.filter(
    ({ policy }, place) => found.findIndex((other) => other.policy.id === policy.id) === place,
  );
}

/** A rule with the policy that it is of; null for what app access adds. */
export interface OwnedRule extends Rule {
  readonly policy: string | null;
}

/** The rules of the policies that count, by collection and action, of the collections that there are. */
export function effectiveCells(
  counting: readonly CountingPolicy[],
  permissions: readonly Permission[],
  collections: ReadonlyMap<string, unknown>,
): ReadonlyMap<string, readonly OwnedRule[]> {
  const ids = new Set(counting.map(({ policy }) => policy.id));
  const app = counting.some(({ policy }) => policy.app_access);
  const counts = ({ system, policy }: Permission) =>
    system === true ? app : policy !== null && policy !== undefined && ids.has(policy);
  const rows = permissions.filter((row) => counts(row) && collections.has(row.collection));
  const grouped = Map.groupBy(rows, (row) => cellKey(row.collection, row.action));
  return new Map(
    [...grouped].map(([key, members]) => [
      key,
      members.map((row) => ({ ...ruleOf(row), policy: row.policy ?? null })),
    ]),
  );
}

/** Everything allowed, in each of the cells. */
export function fullCells(
  collections: Iterable<string>,
  actions: readonly string[],
  rule: Rule,
): Cells {
  const keys = [...collections].flatMap((name) => actions.map((action) => cellKey(name, action)));
  return new Map(keys.map((key) => [key, [rule]]));
}
