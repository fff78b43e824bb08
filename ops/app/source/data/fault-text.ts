/** Says in the language of the App why a value, a row or a request is refused. */
export type Translate = (key: string, parameters?: Readonly<Record<string, unknown>>) => string;

/** What the server tells of an error beside its message. */
export interface Refusal {
  readonly code: string;
  /** A sentence, the stable name of what it says, and the parameters of its text. */
  readonly reason?: unknown;
  readonly reason_code?: unknown;
  readonly reason_parameters?: unknown;
  /** Of a rule that is broken, with what it would have taken. */
  readonly type?: unknown;
  readonly valid?: unknown;
  readonly invalid?: unknown;
  readonly substring?: unknown;
}

/** What was told: a text, and the server's own words where they tell more. */
export interface ToldRefusal {
  readonly text: string;
  readonly detail: string | null;
}

/** Codes with a text; a test holds that these are all of the API's. */
export const CODES: ReadonlySet<string> = new Set([
  ...['FAILED_VALIDATION', 'INVALID_PAYLOAD', 'INVALID_QUERY', 'RECORD_NOT_UNIQUE'],
  ...['NOT_NULL_VIOLATION', 'CONTAINS_NULL_VALUES', 'INVALID_FOREIGN_KEY', 'VALUE_OUT_OF_RANGE'],
  ...['VALUE_TOO_LONG', 'INVALID_COLLECTION', 'INVALID_INVITE', 'INVALID_CREDENTIALS'],
  ...['INVALID_OTP', 'INVALID_IP', 'TOKEN_EXPIRED', 'USER_SUSPENDED', 'FORBIDDEN', 'INVALID_TOKEN'],
  ...['LIMIT_EXCEEDED', 'ROUTE_NOT_FOUND', 'METHOD_NOT_ALLOWED', 'OUT_OF_TIME', 'CONFLICT'],
  ...['PRECONDITION_FAILED', 'CONTENT_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
  ...['RANGE_NOT_SATISFIABLE', 'UNPROCESSABLE_ENTITY', 'REQUESTS_EXCEEDED', 'HEADERS_TOO_LARGE'],
  ...['INTERNAL_SERVER_ERROR', 'SERVICE_UNAVAILABLE'],
]);

/** The text of a broken rule by its type; those that differ in letters alone share one. */
export const RULES: Readonly<Record<string, string>> = {
  ...{ eq: 'eq', neq: 'neq', lt: 'lt', lte: 'lte', gt: 'gt', gte: 'gte', in: 'in', nin: 'nin' },
  ...{ null: 'empty', empty: 'empty', nnull: 'required', nempty: 'required', required: 'required' },
  ...{ contains: 'contains', icontains: 'contains', ncontains: 'ncontains' },
  ...{ nicontains: 'ncontains', starts_with: 'starts', istarts_with: 'starts' },
  ...{ nstarts_with: 'nstarts', nistarts_with: 'nstarts', ends_with: 'ends', iends_with: 'ends' },
  ...{ nends_with: 'nends', niends_with: 'nends', regex: 'regex', email: 'email' },
};

/** What each text needs to know. */
const OPERAND: Readonly<Record<string, 'valid' | 'invalid' | 'substring'>> = {
  ...{ eq: 'valid', lt: 'valid', lte: 'valid', gt: 'valid', gte: 'valid', in: 'valid' },
  ...{ neq: 'invalid', nin: 'invalid' },
  ...{ contains: 'substring', ncontains: 'substring', starts: 'substring', nstarts: 'substring' },
  ...{ ends: 'substring', nends: 'substring' },
};

function shown(value: unknown): string {
  if (Array.isArray(value)) return value.map(shown).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The text of a rule; null when it is not known, or what it would have taken is not. */
function ruleText(refusal: Refusal, translate: Translate): string | null {
  const { code, type } = refusal;
  const rule = typeof type === 'string' && Object.hasOwn(RULES, type) ? RULES[type] : undefined;
  if (code !== 'FAILED_VALIDATION' || rule === undefined) return null;
  const operand = OPERAND[rule];
  if (operand === undefined) return translate(`fault.rule.${rule}`);
  const value = refusal[operand];
  return value === undefined ? null : translate(`fault.rule.${rule}`, { value: shown(value) });
}

/** The reason that says less than the rule that is broken. */
const BROKEN_RULE = 'value_fails_validation';

/**
 * The App's text of a reason. Null when there is none, as for the reasons of a newer server, and when
 * something that the text names was not told.
 */
function reasonText(refusal: Refusal, translate: Translate): string | null {
  const { reason_code: name, reason_parameters: told } = refusal;
  if (typeof name !== 'string') return null;
  const parameters = typeof told === 'object' && told !== null ? told : {};
  const template = translate(`reason.${name}`, { _: '' });
  const named = [...template.matchAll(/%\{(\w+)\}/g)].map(([, parameter = '']) => parameter);
  if (template === '' || named.some((one) => !Object.hasOwn(parameters, one))) return null;
  return translate(`reason.${name}`, { ...parameters });
}

function sentenceOf({ reason }: Refusal): string | null {
  return typeof reason === 'string' && reason !== '' ? reason : null;
}

/** The reason in the language of the App, else in the words of the server. */
export function toldReason(refusal: Refusal, translate: Translate): string | null {
  return reasonText(refusal, translate) ?? sentenceOf(refusal);
}

/** @param message what is said when not even the code is known */
export function tellRefusal(
  refusal: Refusal,
  translate: Translate,
  message: string | null = null,
): ToldRefusal {
  const { code } = refusal;
  const byReason = reasonText(refusal, translate);
  const byRule = ruleText(refusal, translate);
  const text = refusal.reason_code === BROKEN_RULE ? (byRule ?? byReason) : (byReason ?? byRule);
  if (text !== null) return { text, detail: null };
  const detail = sentenceOf(refusal);
  if (CODES.has(code)) return { text: translate(`fault.code.${code}`), detail };
  return { text: translate('failure.refused'), detail: detail ?? message };
}

/** A value that is missing breaks no rule. */
const MISSING = new Set<unknown>(['required', 'nnull']);

/** Whether a value breaks a rule of its field, which may have words of its own for that. */
export function breaksRule(refusal: Refusal): boolean {
  if (refusal.code !== 'FAILED_VALIDATION' || MISSING.has(refusal.type)) return false;
  return sentenceOf(refusal) === null || refusal.reason_code === BROKEN_RULE;
}

/** All of it in one line. */
export function refusalText(
  refusal: Refusal,
  translate: Translate,
  message: string | null = null,
): string {
  const { text, detail } = tellRefusal(refusal, translate, message);
  return detail === null ? text : `${text} ${detail}`;
}
