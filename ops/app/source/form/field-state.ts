/** What a field is in a form right now: shown or hidden, to be written or only read, needed or not. */
import { mayField } from '../data/rights.ts';
import type { Condition, Field, Item, Rights } from '../data/schema-types.ts';
import { specialsOf } from '../data/values.ts';
import { type RuleContext, ruleHolds } from './rule.ts';

export interface FieldState {
  /** The field with the options that hold now. */
  readonly field: Field;
  readonly hidden: boolean;
  readonly readOnly: boolean;
  readonly required: boolean;
}

export interface FormContext {
  readonly collection: string;
  readonly action: 'create' | 'update';
  readonly rights: Rights;
  readonly rules: RuleContext;
}

const MADE_BY_SERVER = [
  ...['date-created', 'date-updated', 'user-created', 'user-updated'],
  ...['role-created', 'role-updated'],
];

/** Whether nobody types a value, as the database or the server makes it. */
export function isMade(field: Field): boolean {
  const { schema } = field;
  const special = specialsOf(field);
  return (
    schema?.is_generated === true ||
    schema?.has_auto_increment === true ||
    MADE_BY_SERVER.some((flag) => special.has(flag))
  );
}

/** The conditions of a field that hold for the values, joined; a later one counts more. */
function conditionsOf({ meta }: Field, rules: RuleContext) {
  const list = Array.isArray(meta?.conditions) ? meta.conditions : [];
  const held = list.filter(({ rule }) => rule !== undefined && ruleHolds(rule, rules));
  const all: Condition = Object.assign({}, ...held);
  return all;
}

function needsValue({ schema, meta }: Field, made: boolean): boolean {
  if (meta?.required === true) return true;
  return schema !== null && !schema.is_nullable && schema.default_value === null && !made;
}

export function fieldState(field: Field, { collection, action, rights, rules }: FormContext) {
  const { meta, schema } = field;
  const condition = conditionsOf(field, rules);
  const made = isMade(field);
  const makesKey = schema?.is_primary_key === true && specialsOf(field).has('uuid');
  const mayRead = mayField(rights, collection, 'read', field.field);
  const mayWrite = mayField(rights, collection, action, field.field);
  const isOther = schema === null && specialsOf(field).has('no-data');
  const unseen = !isOther && !mayWrite && (action === 'create' || !mayRead);
  const state: FieldState = {
    field:
      condition.options === undefined || meta === null
        ? field
        : { ...field, meta: { ...meta, options: { ...meta.options, ...condition.options } } },
    hidden:
      (condition.hidden ?? meta?.hidden === true) ||
      unseen ||
      (action === 'create' && (made || makesKey)),
    readOnly:
      (condition.readonly ?? meta?.readonly === true) ||
      made ||
      !mayWrite ||
      (action === 'update' && schema?.is_primary_key === true),
    required: condition.required ?? (needsValue(field, made) && !makesKey),
  };
  return state;
}

/** The fields that need a value and have none. */
export function missingFields(states: readonly FieldState[], values: Item): readonly string[] {
  return states
    .filter(({ hidden, readOnly, required }) => required && !hidden && !readOnly)
    .filter(({ field }) => field.type !== 'alias')
    .filter(({ field: { field, schema, meta } }) => {
      const value = values[field] ?? null;
      const isBare = value === '' && meta?.required !== true && schema?.is_nullable === false;
      return value === null || (value === '' && !isBare);
    })
    .map(({ field }) => field.field);
}
