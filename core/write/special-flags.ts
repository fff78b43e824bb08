/** The special flags of fields that generate or change values on writing. */

import { randomUUID } from 'node:crypto';
import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload } from '#core/base/errors/service-error.ts';
import { oncePer } from '#core/base/once-per.ts';
import type { Collection, Field } from '#core/model/catalog/catalog.ts';
import { CONCEALED, isConcealed } from '#core/model/catalog/catalog.ts';
import type { Action, Item } from './payload.ts';
import type { WriteContext } from './write-context.ts';

/** Computes a flag's value; undefined omits the member. */
type Special = (write: WriteContext, value: unknown, field: Field) => unknown;

const now: Special = ({ now: time }) => time.toISOString();
const user: Special = ({ target }) => target.caller.user;
const role: Special = ({ target }) => target.caller.role;
const uuid: Special = (_, value) =>
  value === undefined || value === null || value === '' ? randomUUID() : value;
/** A secret must be text: other values would be stored without hashing. */
const hash: Special = ({ hash: hashed, collection }, value, { name: field }) => {
  if (value === undefined || value === null) return value;
  if (typeof value === 'string' && value !== '') return hashed(value);
  throw invalidPayload(reason('secret_text_expected', { field }), {
    collection: collection.name,
    field,
  });
};

const SPECIALS: Readonly<Record<Action, Readonly<Record<string, Special>>>> = {
  create: {
    uuid,
    hash,
    'date-created': now,
    'user-created': user,
    'role-created': role,
  },
  update: {
    hash,
    'date-updated': now,
    'user-updated': user,
    'role-updated': role,
  },
};

/** Facts about a collection's fields, computed once. */
interface Flagged {
  readonly concealed: boolean;
  readonly specials: Readonly<Record<Action, readonly (readonly [Field, Special])[]>>;
}

const flaggedOf = oncePer((collection: Collection): Flagged => {
  const fields = [...collection.fields.values()];
  const specials = (action: Action) =>
    fields.flatMap((field) =>
      field.column === null
        ? []
        : field.special.flatMap((flag) => {
            const special = Object.hasOwn(SPECIALS[action], flag) ? SPECIALS[action][flag] : null;
            return special ? [[field, special] as const] : [];
          }),
    );
  return {
    concealed: fields.some(isConcealed),
    specials: { create: specials('create'), update: specials('update') },
  };
});

/** The item without masked values: a mask stands for a hidden value and changes nothing. */
export function removeMaskedValues(collection: Collection, item: Item): Item {
  if (!flaggedOf(collection).concealed) return item;
  const kept = Object.entries(item).filter(([name, value]) => {
    const field = collection.fields.get(name);
    return !(value === CONCEALED && field !== undefined && isConcealed(field));
  });
  return Object.fromEntries(kept);
}

/** Whether the field stores only hashes of its values. */
export function hasSecrets({ special }: Pick<Field, 'special'>): boolean {
  return special.includes('hash');
}

/** Whether a collection's flags generate values. */
export function hasSpecials(collection: Collection, action: Action): boolean {
  return flaggedOf(collection).specials[action].length > 0;
}

/** The item with the values that its collection's flags generate. */
export async function applySpecials(
  write: WriteContext,
  action: Action,
  item: Item,
): Promise<Item> {
  const specials = flaggedOf(write.collection).specials[action];
  const values = new Map(Object.entries(item));
  for (const [field, special] of specials) {
    const value = await special(write, values.get(field.name), field);
    if (value !== undefined) values.set(field.name, value);
  }
  return Object.fromEntries(values);
}
