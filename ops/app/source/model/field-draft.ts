/** A field while it is edited, and what the API is sent for it: of a stored one the differences alone. */
import type { Field, Item } from '../data/schema-types.ts';
import { sameValue, specialsOf } from '../data/values.ts';
import { aliasFlags, TYPES } from './field-types.ts';

export interface FieldDraft {
  readonly field: string;
  readonly type: string;
  readonly schema: Item;
  readonly meta: Item;
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
