/**
 * Converts a body to a plan: the items to write at each place of its shape, and the related items
 * to link or remove. It uses only the parts of the catalog that the caller may see, and reads no
 * rows.
 */

import type { Rights } from '#core/access/rights.ts';
import { knownEnd, knownRelation } from '#core/access/schema-visibility.ts';
import { reason } from '#core/base/errors/reason.ts';
import { refusal } from '#core/base/errors/refusal.ts';
import { forbidden, invalidPayload } from '#core/base/errors/service-error.ts';
import { isJsonObject } from '#core/base/json/json-object.ts';
import { TimeSlice } from '#core/base/process/time-slice.ts';
import type { Catalog, Collection } from '#core/model/catalog/catalog.ts';
import type { AnyToOne, End, ManyToOne, Relation, ToMany } from '#core/model/catalog/relation.ts';
import { type Key, keyOfBody, keyOfValues } from '#core/query/key.ts';
import { isLinkConcealed } from '#core/read/plan/link.ts';
import { type Item, itemPath, ownMember } from '../payload.ts';
import type { WriteBudget } from '../write-budget.ts';
import type { WriteTarget } from '../write-context.ts';
import type {
  Level,
  NamedItem,
  PayloadPath,
  PlannedItem,
  Selection,
  ToManyStep,
  ToOneStep,
} from './plan.ts';

/** An item as it appears in the body. */
export interface InputItem {
  readonly place: PayloadPath;
  readonly value: unknown;
  readonly intent: PlannedItem['intent'];
  /** The key, when the URL path or the caller supplies it. */
  readonly key?: Key | undefined;
  /** The values of a unique key: new items with the same values become one item. */
  readonly match?: string | undefined;
  /** The place of a new item that appears once in the body and that several items refer to. */
  readonly shared?: string | undefined;
}

interface ToOneDraft {
  readonly relation: ManyToOne | AnyToOne;
  readonly end: End;
  readonly inputs: InputItem[];
  readonly owners: number[];
}

interface ToManyDraft {
  readonly relation: ToMany;
  readonly inputs: InputItem[];
  readonly owners: number[];
  readonly selections: Selection[];
}

/** A list of related items in the body, and the step that collects its entries. */
interface List {
  readonly step: ToManyDraft;
  readonly related: Related;
}

/** The collected data of a level while its items are read. */
interface Draft {
  readonly collection: Collection;
  /** The relations of the field names read so far. */
  readonly relations: Map<string, Relation | undefined>;
  readonly toOne: Map<string, ToOneDraft>;
  readonly toMany: Map<string, ToManyDraft>;
}

/** `author.articles[2].title`, the format in error details. */
export function pathText(place: PayloadPath): string {
  return place
    .map((part, index) =>
      typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${part}`,
    )
    .join('');
}

/** A place of the body, for an error message. */
function at(place: PayloadPath): string {
  const [first, ...rest] = place;
  if (first === undefined) return 'The body';
  return typeof first === 'number' && rest.length === 0 ? itemPath(first) : `"${pathText(place)}"`;
}

/** The complete key that an item names; null otherwise. */
function keyIn(collection: Collection, item: Item): Key | null {
  const values = collection.primaryKey.map((field) => ownMember(item, field.name));
  if (values.length === 0 || values.some((value) => value === undefined || value === null)) {
    return null;
  }
  return keyOfValues(collection, values);
}

function pushAll<T>(list: T[], more: Iterable<T>): void {
  for (const entry of more) list.push(entry);
}

/**
 * A text column can hold keys of any type, for example in a many-to-any relation, so numbers are
 * valid.
 */
function isText({ fields }: Collection, name: string): boolean {
  const type = fields.get(name)?.type;
  return type === 'string' || type === 'text';
}

/** The number of unknown members to keep, so that validation can reject them. */
const MOST_UNKNOWN = 20;

export class PayloadPlanner {
  readonly #catalog: Catalog;
  readonly #rights: Rights;
  readonly #allowance: WriteBudget;
  readonly #slice = new TimeSlice();
  /** The lists of related items in the current item. */
  readonly #lists: List[] = [];
  /** An item that the client sent once for many keys stays one object. */
  readonly #boundedOf = new Map<Item, Item>();

  /** @param allowance the number of items that the whole payload may write */
  constructor({ catalog, rights }: WriteTarget, allowance: WriteBudget) {
    this.#catalog = catalog;
    this.#rights = rights;
    this.#allowance = allowance;
  }

  /**
   * Plans the items at one place of the shape and, through their relations, all levels below.
   * @throws ServiceError INVALID_PAYLOAD naming the place, FORBIDDEN for an invalid key
   */
  async level(collection: Collection, inputs: readonly InputItem[]): Promise<Level> {
    this.#allowance.take(inputs.length);
    const draft: Draft = {
      ...{ collection, relations: new Map(), toOne: new Map(), toMany: new Map() },
    };
    const items: PlannedItem[] = [];
    for (const [index, input] of inputs.entries()) {
      if (this.#slice.isOver()) await this.#slice.pause();
      items.push(this.#item(draft, input, index));
      for (const list of this.#lists.splice(0)) await this.#read(list);
    }
    const toOne: ToOneStep[] = [];
    for (const { relation, end, inputs, owners } of draft.toOne.values()) {
      const level = await this.level(this.#collection(end.collection), inputs);
      toOne.push({ relation, end, owners, level });
    }
    const toMany: ToManyStep[] = [];
    for (const { relation, inputs, owners, selections } of draft.toMany.values()) {
      const level = await this.level(this.#collection(relation.many.collection), inputs);
      toMany.push({ relation, owners, selections, level });
    }
    return { collection, items, toOne, toMany };
  }

  /**
   * Removes most unknown members of an item. The first ones are enough for the permission error.
   */
  #bounded(collection: Collection, item: Item): Item {
    const { fields } = collection;
    const relations = this.#catalog.relations.get(collection.name);
    const names = Object.keys(item);
    if (names.length <= fields.size + (relations?.size ?? 0) + MOST_UNKNOWN) return item;
    const known = this.#boundedOf.get(item);
    if (known !== undefined) return known;
    let unknown = 0;
    const kept = names.filter((name) => {
      if (fields.has(name) || relations?.has(name)) return true;
      unknown += 1;
      return unknown <= MOST_UNKNOWN;
    });
    const bounded = Object.fromEntries(kept.map((name) => [name, item[name]]));
    this.#boundedOf.set(item, bounded);
    return bounded;
  }

  #collection(name: string): Collection {
    const collection = this.#catalog.collections.get(name);
    if (collection === undefined || collection.primaryKey.length === 0) throw forbidden();
    return collection;
  }

  #item(draft: Draft, input: InputItem, owner: number): PlannedItem {
    const { place, value: given, intent } = input;
    if (!isJsonObject(given)) throw invalidPayload(reason('object_expected', { place: at(place) }));
    const { collection } = draft;
    const value = this.#bounded(collection, given);
    const isShared = input.shared !== undefined;
    const { item, lists } = this.#members(draft, { place, owner, value, isShared });
    const key = input.key ?? keyIn(collection, value);
    if (intent === 'update' && key === null)
      throw invalidPayload(reason('key_missing', { place: at(place) }));
    const known = intent === 'either' && key === null ? 'create' : intent;
    const { match, shared } = input;
    return { place, item, sent: value, lists, key, intent: known, match, shared };
  }

  /** Splits the members of an item from its lists of related items. */
  #members(draft: Draft, from: Related & { readonly value: Item }) {
    const { place, owner, value, isShared } = from;
    const lists: string[] = [];
    const keys: Record<string, string> = {};
    for (const [name, member] of Object.entries(value)) {
      const relation = this.#relation(draft, name);
      if (relation === undefined) continue;
      if (typeof member === 'number' && isText(draft.collection, name)) keys[name] = String(member);
      const related = { owner, place: [...place, name], value: member, isShared };
      if (this.#relate(draft, relation, related, value)) lists.push(name);
    }
    // An item that the client sent once for many keys stays one object, and is prepared once.
    if (lists.length === 0 && Object.keys(keys).length === 0) return { item: value, lists };
    const own = Object.entries(value).filter(([name]) => !lists.includes(name));
    return { item: { ...Object.fromEntries(own), ...keys }, lists };
  }

  #relation({ collection, relations }: Draft, name: string): Relation | undefined {
    if (!relations.has(name)) {
      relations.set(name, knownRelation(this.#catalog, this.#rights, collection.name, name));
    }
    return relations.get(name);
  }

  /**
   * Adds the value of a relational field to the draft.
   * @returns whether the member is not part of the item's own row
   */
  #relate(draft: Draft, relation: Relation, related: Related, item: Item): boolean {
    const { owner, place, value } = related;
    if (relation.kind === 'm2o' || relation.kind === 'a2o') {
      if (isJsonObject(value)) {
        const end = relation.kind === 'm2o' ? relation.one : this.#anyEnd(relation, place, item);
        const name = `${relation.field}:${end.collection}`;
        const step = draft.toOne.get(name) ?? { relation, end, inputs: [], owners: [] };
        draft.toOne.set(name, step);
        step.inputs.push({ place, value, intent: 'either', shared: sharedAt(place) });
        step.owners.push(owner);
      }
      return false;
    }
    // The members of the list would disclose the concealed values of the linking column.
    if (isLinkConcealed(this.#catalog, relation)) {
      throw refusal({ collection: draft.collection.name, field: relation.field });
    }
    const step = draft.toMany.get(relation.field) ?? {
      relation,
      inputs: [],
      owners: [],
      selections: [],
    };
    draft.toMany.set(relation.field, step);
    this.#lists.push({ step, related });
    return true;
  }

  /** The collection of a nested item in a many-to-any field. */
  #anyEnd(relation: AnyToOne, place: PayloadPath, item: Item): End {
    const name = ownMember(item, relation.discriminator);
    if (typeof name !== 'string') {
      throw invalidPayload(
        reason('discriminator_missing', {
          place: at(place),
          discriminator: relation.discriminator,
        }),
      );
    }
    const end = knownEnd(this.#rights, relation, name);
    if (end !== undefined) return end;
    throw invalidPayload(
      reason('relation_cannot_hold_named_collection', { place: at(place), name }),
    );
  }

  /** Adds the entries of a list to its step. */
  async #read({ step, related }: List): Promise<void> {
    const { relation } = step;
    const child = this.#collection(relation.many.collection);
    this.#allowance.require(entriesIn(related.value));
    const { inputs, selection } = await selectionOf(child, relation, related, this.#slice);
    this.#allowance.take(selection.linked.length + selection.removed.length);
    pushAll(
      step.inputs,
      related.isShared
        ? inputs.map((input) => ({ ...input, shared: sharedAt(input.place) }))
        : inputs,
    );
    pushAll(
      step.owners,
      inputs.map(() => related.owner),
    );
    step.selections.push(selection);
  }
}

/** Removes the members of a related item that name its owner: the list determines the owner. */
function ownedInput(child: Collection, relation: ToMany, input: Omit<InputItem, 'key'>): InputItem {
  const { value } = input;
  if (!isJsonObject(value)) return input;
  const columns = new Set(relation.many.columns);
  const isOwn = (name: string) =>
    name === relation.manyField || columns.has(child.fields.get(name)?.column?.name ?? '');
  const key = keyIn(child, value) ?? undefined;
  if (!Object.keys(value).some(isOwn)) return { ...input, key };
  const kept = Object.entries(value).filter(([name]) => !isOwn(name));
  return { ...input, key, value: Object.fromEntries(kept) };
}

/** The value of a relational field of an item. */
interface Related {
  readonly owner: number;
  readonly place: PayloadPath;
  readonly value: unknown;
  /** Several other items refer to the item. */
  readonly isShared: boolean;
}

/**
 * The identity of a new item at a place. In a body that is not a list, each place occurs once, even
 * if it is written for many keys.
 */
function sharedAt(place: PayloadPath): string | undefined {
  return typeof place[0] === 'string' ? pathText(place) : undefined;
}

/** The number of entries in the lists of a relational field. */
function entriesIn(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  if (!isJsonObject(value)) return 0;
  const lists = [value.create, value.update, value.delete];
  return lists.reduce<number>((sum, list) => sum + (Array.isArray(list) ? list.length : 0), 0);
}

/**
 * The requested changes of a relational list: the items to write, and the links to add or remove.
 */
async function selectionOf(
  child: Collection,
  relation: ToMany,
  { owner, place, value }: Related,
  slice: TimeSlice,
): Promise<{ inputs: InputItem[]; selection: Selection }> {
  if (value === null || Array.isArray(value)) {
    const inputs: InputItem[] = [];
    const linked: NamedItem[] = [];
    for (const [index, element] of (value ?? []).entries()) {
      if (slice.isOver()) await slice.pause();
      const where = [...place, index];
      if (isJsonObject(element)) {
        const input = { place: where, value: element, intent: 'either' } as const;
        inputs.push(ownedInput(child, relation, input));
      } else linked.push(namedItem(child, relation, where, element));
    }
    return { inputs, selection: { owner, place, whole: true, linked, removed: [] } };
  }
  const { create, update, delete: taken, ...rest } = detailed(place, value);
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) {
    throw invalidPayload(reason('relation_changes_unknown_member', { place: at(place), unknown }));
  }
  const inputsOf = (name: string, list: unknown, intent: InputItem['intent']) =>
    slice.map(listOf([...place, name], list), (element, index) =>
      ownedInput(child, relation, { place: [...place, name, index], value: element, intent }),
    );
  const removed = await slice.map(listOf([...place, 'delete'], taken), (element, index) =>
    namedItem(child, relation, [...place, 'delete', index], element),
  );
  const created = await inputsOf('create', create, 'create');
  const updated = await inputsOf('update', update, 'update');
  return {
    inputs: [...created, ...updated],
    selection: { owner, place, whole: false, linked: [], removed },
  };
}

function detailed(place: PayloadPath, value: unknown): Item {
  if (isJsonObject(value)) return value;
  throw invalidPayload(reason('relation_list_or_changes_expected', { place: at(place) }));
}

function listOf(place: PayloadPath, value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  throw invalidPayload(reason('relation_list_expected', { place: at(place) }));
}

/** Reads a bare key. In a list behind a junction it is the key of the junction's row. */
function namedItem(
  child: Collection,
  relation: ToMany,
  place: PayloadPath,
  value: unknown,
): NamedItem {
  const isKey = typeof value === 'string' || typeof value === 'number' || Array.isArray(value);
  if (!isKey) throw invalidPayload(reason('relation_key_or_object_expected', { place: at(place) }));
  try {
    return { place, key: keyOfBody(child, value) };
  } catch (error) {
    throw relation.junctionField === null ? error : noSuchLink(relation, place);
  }
}

/** The error for a bare key that matches no junction row; it shows the form that links a target. */
export function noSuchLink(relation: ToMany, place: PayloadPath): Error {
  const { many, junctionField } = relation;
  return forbidden(
    reason('junction_key_unknown', {
      place: at(place),
      collection: many.collection,
      link: `{"${junctionField}": key}`,
    }),
  );
}
