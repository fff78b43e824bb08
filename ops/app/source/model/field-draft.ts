/** A field while it is edited, and what the API is sent for it: of a stored one the differences alone. */
import type { Field, Item } from '../data/schema-types.ts';
import { isItem, sameValue, specialsOf } from '../data/values.ts';
import { aliasFlags, TYPES } from './field-types.ts';

/** A rule that follows the name of its field, wherever it asks for it in this collection. */
function renamedRule(rule: unknown, from: string, to: string): unknown {
  if (Array.isArray(rule)) return rule.map((one) => renamedRule(one, from, to));
  if (!isItem(rule)) return rule;
  return Object.fromEntries(
    Object.entries(rule).map(([name, value]) => {
      if (name === '_and' || name === '_or') return [name, renamedRule(value, from, to)];
      return [name === from ? to : name, value];
    }),
  );
}

/** A new field with another name, with the rules that it already has. */
export function renamed(draft: FieldDraft, name: string): FieldDraft {
  const { field, meta } = draft;
  const { validation, conditions } = meta;
  const follow = (rule: unknown) => renamedRule(rule, field, name);
  return {
    ...draft,
    field: name,
    meta: {
      ...meta,
      ...(isItem(validation) && { validation: follow(validation) }),
      ...(Array.isArray(conditions) && {
        conditions: conditions
          .filter(isItem)
          .map((one) => (isItem(one.rule) ? { ...one, rule: follow(one.rule) } : one)),
      }),
    },
  };
}

export interface FieldDraft {
  readonly field: string;
  readonly type: string;
  readonly schema: Item;
  readonly meta: Item;
  /** Its index is built while others write. */
  readonly concurrently: boolean;
}

const COLUMN = [
  ...['default_value', 'max_length', 'numeric_precision', 'numeric_scale'],
  ...['is_nullable', 'is_unique', 'is_indexed'],
];

function picked(from: object | null, names: readonly string[]): Item {
  return Object.fromEntries(Object.entries(from ?? {}).filter(([name]) => names.includes(name)));
}

/** The flags as a list, in their order. */
export function flagsOf(meta: Item): readonly string[] {
  return [...specialsOf({ meta: { special: meta.special ?? null } })].filter(Boolean);
}

export function draftOf({ field, type, schema, meta }: Field): FieldDraft {
  const display = meta?.display_options;
  return {
    field,
    type,
    schema: picked(schema, COLUMN),
    concurrently: false,
    meta: { ...meta, ...(typeof display === 'string' && { display_options: parsed(display) }) },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** What a new field of a type begins with. */
export function newDraft(type: string, name: string): FieldDraft {
  const shown = TYPES[type]?.interfaces[0] ?? 'input';
  const isAlias = type === 'alias';
  return {
    field: name,
    type,
    concurrently: false,
    schema: isAlias ? {} : { is_nullable: true, is_unique: false, is_indexed: false },
    meta: { interface: shown, width: 'full', ...(isAlias && { special: aliasFlags(shown) }) },
  };
}

const NUMBERS_OF: Readonly<Record<string, readonly string[]>> = {
  string: ['max_length'],
  hash: ['max_length'],
  decimal: ['numeric_precision', 'numeric_scale'],
};

/** Whether a member of the column means something for a type. */
export function measures(type: string, member: string): boolean {
  return NUMBERS_OF[type]?.includes(member) === true;
}

const MEASURES = new Set(['max_length', 'numeric_precision', 'numeric_scale']);

function fitting(type: string, schema: Item): Item {
  return Object.fromEntries(
    Object.entries(schema).filter(([name]) => !MEASURES.has(name) || measures(type, name)),
  );
}

function given(values: Item): Item {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== null && value !== undefined),
  );
}

/** The body of `POST /fields/:collection`, or of a field of a new collection. */
export function fieldBody({ field, type, schema, meta }: FieldDraft): Item & { field: string } {
  return {
    field: field.trim(),
    type,
    schema: type === 'alias' ? null : given(fitting(type, schema)),
    meta: given(meta),
  };
}

function differences(before: Item, after: Item): Item {
  return Object.fromEntries(
    Object.entries(after).filter(([name, value]) => !sameValue(value, before[name])),
  );
}

/** The body of `PATCH /fields/:collection/:field`; null when nothing has changed. */
export function fieldPatch(before: FieldDraft, after: FieldDraft): Item | null {
  const retyped = after.type !== before.type;
  const schema = fitting(after.type, {
    ...differences(before.schema, after.schema),
    // A new type takes its measures from the same request.
    ...(retyped && given(picked(after.schema, [...MEASURES]))),
  });
  const meta = differences(before.meta, after.meta);
  const patch = {
    ...(retyped && { type: after.type }),
    ...(Object.keys(schema).length > 0 && { schema }),
    ...(Object.keys(meta).length > 0 && { meta }),
  };
  return Object.keys(patch).length === 0 ? null : patch;
}
