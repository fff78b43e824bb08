/**
 * Turns permitted payloads into rows: applies presets first, then validates, then adds the values
 * that special flags generate.
 */

import type { Permission } from '#core/access/rights.ts';
import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload, ServiceError, ServiceErrors } from '#core/base/errors/service-error.ts';
import { oncePer } from '#core/base/once-per.ts';
import { TimeSlice } from '#core/base/process/time-slice.ts';
import { blamesValue } from '#core/database/failure.ts';
import type { Catalog, Collection } from '#core/model/catalog/catalog.ts';
import { type Filter, NEVER } from '#core/query/query.ts';
import { fieldRules } from '#core/read/evaluate/field-rule.ts';
import { Validation } from '#core/read/evaluate/validation.ts';
import { validationFault } from '#core/read/evaluate/validation-fault.ts';
import { ruleFault } from '#core/read/plan/rule.ts';
import {
  type CallerRecords,
  callerRecords,
  NO_RECORDS,
  needsCallerRecords,
  pathsIn,
} from './caller-record.ts';
import { evaluateOpenConditions, type OpenConditions } from './open-conditions.ts';
import {
  type Action,
  type Item,
  missingValues,
  type Row,
  requireExactReals,
  toRow,
  VALUE_PENDING,
} from './payload.ts';
import { applySpecials, hasSpecials, removeMaskedValues } from './special-flags.ts';
import type { WriteContext } from './write-context.ts';

/** An item ready to be written. */
export interface PreparedItem {
  /** Its members as they will be stored. */
  readonly item: Item;
  readonly row: Row;
}

/** Removes the key members, which only identify the item and are neither validated nor changed. */
function withoutKey(write: WriteContext, item: Item): Item {
  const { primaryKey } = write.collection;
  if (!primaryKey.some(({ name }) => Object.hasOwn(item, name))) return item;
  const key = new Set(primaryKey.map((field) => field.name));
  return Object.fromEntries(Object.entries(item).filter(([name]) => !key.has(name)));
}

/** The item that rules validate: it includes the related items of the payload. */
function withRelated(item: Item, sent: Item): Item {
  const isNested = (value: unknown) => typeof value === 'object' && value !== null;
  if (!Object.values(sent).some(isNested)) return item;
  const related = Object.entries(sent).filter(
    ([name, value]) =>
      isNested(value) && (!Object.hasOwn(item, name) || item[name] === VALUE_PENDING),
  );
  return related.length === 0 ? item : { ...item, ...Object.fromEntries(related) };
}

/**
 * The conditions that a permission imposes on payloads. A permission that cannot be read rejects
 * every payload.
 */
function demands(write: WriteContext, action: Action, { rule, validation }: Permission): Filter[] {
  const { collection, target } = write;
  const { catalog, bounds } = target;
  const isReadable =
    (validation === null || validationFault(catalog, collection, validation) === null) &&
    // Item rules do not apply to creation, so this is the only place that checks them.
    (action !== 'create' ||
      rule === null ||
      ruleFault(catalog, bounds, collection.name, rule) === null);
  if (!isReadable) return [NEVER];
  return validation === null ? [] : [validation];
}

function leadsNowhere(field: string, path: string): ServiceError {
  const why = reason('preset_path_unresolved', { field, path });
  return new ServiceError('UNPROCESSABLE_ENTITY', { field, reason: why });
}

/**
 * Rejects members that are not fields. Permissions are checked first, so a caller without access
 * gets the same error for existing and unknown names.
 */
function requireKnownMembers({ collection, target }: WriteContext, sent: Item): void {
  const relations = target.catalog.relations.get(collection.name);
  const unknown = Object.keys(sent).find(
    (name) => !collection.fields.has(name) && !relations?.has(name),
  );
  if (unknown === undefined) return;
  throw invalidPayload(reason('field_unknown', { name: collection.name, unknown }), {
    field: unknown,
  });
}

/**
 * The conditions that some permissions impose on payloads, and the catalog that they were read
 * with.
 */
interface Demanded {
  readonly catalog: Catalog;
  readonly rules: readonly Filter[];
}

type DemandedOf = WeakMap<readonly Permission[], Demanded>;

const demanded: Readonly<Record<Action, WeakMap<Collection, DemandedOf>>> = {
  create: new WeakMap(),
  update: new WeakMap(),
};

/** The conditions that permissions and fields impose on payloads, computed once per catalog. */
function rulesOf(write: WriteContext, action: Action, permissions: readonly Permission[]) {
  const { collection, target } = write;
  const { catalog } = target;
  const known: DemandedOf = demanded[action].get(collection) ?? new WeakMap();
  demanded[action].set(collection, known);
  const found = known.get(permissions);
  if (found?.catalog === catalog) return found.rules;
  const rules = [
    ...permissions.flatMap((permission) => demands(write, action, permission)),
    ...fieldRules(catalog, collection),
  ];
  known.set(permissions, { catalog, rules });
  return rules;
}

/** The presets of some permissions; later permissions come last. */
const presetsOf = oncePer((permissions: readonly Permission[]) =>
  permissions.flatMap((one) => Object.entries(one.presets)),
);

/** An item as it will be prepared, and as the client sent it. */
interface Sent {
  readonly item: Item;
  readonly sent: Item;
}

const NO_ITEM: Item = Object.freeze({});

export class ItemPreparation {
  readonly #write: WriteContext;
  readonly #action: Action;
  readonly #presets: Item;
  readonly #rules: readonly Filter[];
  /** Null when there are no conditions. */
  readonly #validation: Validation | null;
  /** The errors of the items that were validated. */
  readonly #faults = new Map<Item, readonly ServiceError[]>();
  /** The items so far, with the members that the server sets. */
  readonly #seen = new Map<Item, Item>();

  private constructor(write: WriteContext, action: Action, records: CallerRecords) {
    this.#write = write;
    this.#action = action;
    const { collection, target } = write;
    const permissions: readonly Permission[] = target.rights.of(collection.name, action);
    const rules = rulesOf(write, action, permissions);
    const given = presetsOf(permissions);
    this.#rules = rules;
    this.#presets = NO_ITEM;
    this.#validation = null;
    if (rules.length + given.length === 0) return;
    const { catalog, caller } = target;
    const validation = new Validation({ ...write, catalog, caller, records }, rules);
    const resolved = given.map(([name, value]) => {
      for (const path of pathsIn(value)) if (!records.has(path)) throw leadsNowhere(name, path);
      return [name, validation.resolve(value)] as const;
    });
    if (given.length > 0) this.#presets = Object.fromEntries(resolved);
    if (rules.length > 0) this.#validation = validation;
  }

  /**
   * Opens a preparation. Reads the caller's record where presets or rules refer to it.
   * @throws ServiceError UNPROCESSABLE_ENTITY for a preset whose path can no longer be resolved
   */
  static async open(write: WriteContext, action: Action): Promise<ItemPreparation> {
    const records = needsCallerRecords(write, action)
      ? await callerRecords(write, action)
      : NO_RECORDS;
    return new ItemPreparation(write, action, records);
  }

  /** Opens a preparation when no preset or rule refers to the caller's record. */
  static withoutRecord(write: WriteContext, action: Action): ItemPreparation {
    return new ItemPreparation(write, action, NO_RECORDS);
  }

  /** The values that presets give to missing members of an item. */
  get presets(): Item {
    return this.#presets;
  }

  /** The conditions that items must meet. */
  get rules(): readonly Filter[] {
    return this.#rules;
  }

  /** The members of an item, together with presets and the members that the server sets. */
  #full(given: Item): Item {
    const bare = this.#action === 'update' ? withoutKey(this.#write, given) : given;
    const all = this.#presets === NO_ITEM ? bare : { ...this.#presets, ...bare };
    const own = this.#write.given === undefined ? NO_ITEM : this.#ofServer(given);
    return removeMaskedValues(this.#write.collection, own === NO_ITEM ? all : { ...all, ...own });
  }

  /** The call order must follow the order of the payload. */
  #ofServer(item: Item): Item {
    const known = this.#seen.get(item);
    if (known !== undefined) return known;
    const own = this.#write.given?.[this.#seen.size] ?? NO_ITEM;
    this.#seen.set(item, own);
    return own;
  }

  /**
   * Validates items before their preparation, together, with at most one query to PostgreSQL.
   * @throws ServiceErrors FAILED_VALIDATION for a value that does not fit its type
   */
  async judge(items: readonly Sent[]): Promise<void> {
    const validation = this.#validation;
    if (validation === null) return;
    const open: (OpenConditions & { readonly given: Item })[] = [];
    const slice = new TimeSlice();
    for (const { item: given, sent } of items) {
      if (this.#faults.has(given)) continue;
      if (slice.isOver()) await slice.pause();
      const item = withRelated(this.#full(given), sent);
      const found = validation.judge(item);
      this.#faults.set(given, found.faults);
      if (found.open.length > 0) open.push({ given, item, open: found.open });
    }
    const [first] = open;
    if (first === undefined) return;
    const held = await evaluateOpenConditions(this.#write, open).catch((error: unknown) => {
      const [fault, ...more] = this.#faults.get(first.given) ?? [];
      throw fault !== undefined && blamesValue(error) ? new ServiceErrors([fault, ...more]) : error;
    });
    for (const [index, { given, item }] of open.entries()) {
      this.#faults.set(given, validation.judge(item, held[index]).faults);
    }
  }

  /**
   * Prepares one item.
   * @param sent its members as the client sent them, with related items, for validation
   * @throws ServiceErrors FAILED_VALIDATION, one for each rule that it breaks; also the errors of
   * {@link toRow} and of the collection's own rule
   */
  of(given: Item, sent: Item): PreparedItem | Promise<PreparedItem> {
    this.#requireStrictly(given, sent);
    const full = this.#full(given);
    return this.#isPlain ? this.#prepared(full, []) : this.#made(given, sent, full);
  }

  /** Prepares an item that has no conditions and no generated values; null for other items. */
  plain(given: Item, sent: Item): PreparedItem | null {
    if (!this.#isPlain) return null;
    this.#requireStrictly(given, sent);
    return this.#prepared(this.#full(given), []);
  }

  #requireStrictly(given: Item, sent: Item): void {
    const { collection, strict, exact } = this.#write;
    if (strict) requireKnownMembers(this.#write, sent);
    if (exact) requireExactReals(collection, given);
  }

  get #isPlain(): boolean {
    const { collection, rule, given } = this.#write;
    const isDemanded = this.#validation !== null || rule.refine !== undefined;
    return !isDemanded && given === undefined && !hasSpecials(collection, this.#action);
  }

  /** Prepares an item that has conditions or generated values. */
  async #made(given: Item, sent: Item, full: Item): Promise<PreparedItem> {
    const write = this.#write;
    const { collection, rule } = write;
    const action = this.#action;
    const refined = rule.refine === undefined ? full : await rule.refine(write, action, full);
    if (this.#validation !== null && !this.#faults.has(given)) {
      await this.judge([{ item: given, sent }]);
    }
    const broken = this.#faults.get(given) ?? [];
    const generated = hasSpecials(collection, action)
      ? await applySpecials(write, action, refined)
      : refined;
    return this.#prepared(generated, broken);
  }

  #prepared(item: Item, broken: readonly ServiceError[]): PreparedItem {
    const { collection } = this.#write;
    const action = this.#action;
    const [first, ...rest] = [...broken, ...missingValues(collection, item, action)];
    if (first !== undefined) throw new ServiceErrors([first, ...rest]);
    return { item, row: toRow(collection, item, action) };
  }
}
