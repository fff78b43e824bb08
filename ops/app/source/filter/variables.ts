/** Variables that stand for a value until a rule is applied: the caller, the moment. */

const MOMENTS = ['$NOW', '$NOW(-1 day)', '$NOW(-7 days)', '$NOW(-30 days)', '$NOW(+7 days)'];
const DATES = new Set(['date', 'dateTime', 'timestamp']);

const BY_COLLECTION: Readonly<Record<string, readonly string[]>> = {
  system_users: ['$CURRENT_USER'],
  system_roles: ['$CURRENT_ROLE', '$CURRENT_ROLES'],
  system_policies: ['$CURRENT_POLICIES'],
};

/** Keys of texts for variables. */
const WORDS: Readonly<Record<string, string>> = {
  $CURRENT_USER: 'filter.currentUser',
  $CURRENT_ROLE: 'filter.currentRole',
  $CURRENT_ROLES: 'filter.currentRoles',
  $CURRENT_POLICIES: 'filter.currentPolicies',
  $NOW: 'filter.now',
};

/** What a value is compared with: its type, and for a key the collection that it is of. */
export interface Comparable {
  readonly type: string;
  readonly related: string | null;
}

/** The variables that fit. */
export function variablesFor({ type, related }: Comparable): readonly string[] {
  if (related !== null) return BY_COLLECTION[related] ?? [];
  return DATES.has(type) ? MOMENTS : [];
}

export function isVariable(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith('$');
}

type Translate = (key: string, options?: Record<string, unknown>) => string;

/** A variable in words; as it is written, where there are none for it. */
export function variableName(variable: string, translate: Translate): string {
  const text = WORDS[variable];
  if (text !== undefined) return translate(text);
  const shift = /^\$NOW\(([+-]?)\s*(\d+) days?\)$/.exec(variable);
  if (shift === null) return variable;
  const [, sign, days] = shift;
  const key = sign === '-' ? 'filter.daysAgo' : 'filter.daysAhead';
  return translate(key, { smart_count: Number(days) });
}
