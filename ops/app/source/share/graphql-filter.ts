/** Turns a filter in the notation of REST into that of GraphQL. */
import { keyFields } from '../data/item-key.ts';
import type { Field, Filter } from '../data/schema-types.ts';
import { isItem } from '../data/values.ts';
import { type KnownSchema, stepsOf, targetOf } from './known-schema.ts';

const GROUPS: ReadonlySet<string> = new Set(['_and', '_or']);
const QUANTIFIERS: ReadonlySet<string> = new Set(['_some', '_none']);
const FLAGS: ReadonlySet<string> = new Set(['_null', '_nnull', '_empty', '_nempty']);
/** Types whose values GraphQL takes as they are. */
const AS_THEY_ARE: ReadonlySet<string> = new Set([
  ...['integer', 'bigInteger', 'float', 'decimal', 'json', 'binary', 'alias'],
]);

const asFlag = (value: unknown) => value !== false && value !== 'false';

function operandOf(field: Field | undefined, operator: string, value: unknown): unknown {
  if (FLAGS.has(operator)) return asFlag(value);
  if (QUANTIFIERS.has(operator) && isItem(value)) return conditionOf(field, value);
  if (Array.isArray(value)) return value.map((one) => operandOf(field, operator, one));
  const type = field?.type ?? 'alias';
  if (type === 'boolean') return asFlag(value);
  const isText = !AS_THEY_ARE.has(type) && !type.startsWith('geometry');
  return isText && typeof value !== 'object' ? String(value) : value;
}

/** The condition on a value; a value alone is short for `_eq`. */
function conditionOf(field: Field | undefined, condition: unknown): Filter {
  if (condition === null) return { _null: true };
  const operators = isItem(condition) ? condition : { _eq: condition };
  return Object.fromEntries(
    Object.entries(operators).map(([operator, value]) => {
      if (value === null && operator === '_eq') return ['_null', true];
      if (value === null && operator === '_neq') return ['_nnull', true];
      return [operator, operandOf(field, operator, value)];
    }),
  );
}

/** Whether a condition is one on the key of a related item, and not on its fields. */
function isOnKey(condition: unknown): boolean {
  if (!isItem(condition)) return true;
  return Object.keys(condition).some(
    (name) => name.startsWith('_') && !GROUPS.has(name) && !QUANTIFIERS.has(name),
  );
}

/** The members of the filter of a collection. */
export function graphqlFilter(known: KnownSchema, collection: string, filter: Filter): Filter {
  const fields = known.fieldsOf(collection);
  const members: Record<string, unknown> = {};
  const below = (target: string, value: unknown): Filter => {
    if (!isOnKey(value)) return graphqlFilter(known, target, isItem(value) ? value : {});
    const [key = 'id'] = keyFields(known.fieldsOf(target));
    return graphqlFilter(known, target, { [key]: value });
  };
  for (const [member, value] of Object.entries(filter)) {
    if (GROUPS.has(member)) {
      members[member] = [value]
        .flat()
        .map((part) => (isItem(part) ? graphqlFilter(known, collection, part) : part));
      continue;
    }
    if (QUANTIFIERS.has(member)) {
      members[member] = below(collection, value);
      continue;
    }
    const [{ name, call, scope } = { name: member, call: null, scope: null }] = stepsOf(member);
    const target = scope ?? targetOf(known, collection, name);
    if (call !== null) {
      const others = members[`${name}_func`];
      members[`${name}_func`] = {
        ...(isItem(others) && others),
        [call]: conditionOf(undefined, value),
      };
    } else if (target !== null) {
      members[scope === null ? name : `${name}__${scope}`] = below(target, value);
    } else {
      members[name] = conditionOf(
        fields.find(({ field }) => field === name),
        value,
      );
    }
  }
  return members;
}
