/**
 * Validates payloads in memory by the filters of permissions and fields. A missing member passes
 * every operator but `_submitted`; a value that cannot be evaluated passes no operator. Conditions
 * on the item's own fields that only PostgreSQL can evaluate stay open for the caller.
 */
import type { Caller } from '#core/access/grants.ts';
import type { ServiceError } from '#core/base/errors/service-error.ts';
import { isJsonObject, type JsonObject } from '#core/base/json/json-object.ts';
import type { Catalog, Collection } from '#core/model/catalog/catalog.ts';
import { columnOf } from '#core/model/catalog/catalog.ts';
import { isTemporal } from '#core/model/values/json-type.ts';
import { type FunctionCall, parseFunctionCall } from '#core/query/function-call.ts';
import type { Filter } from '#core/query/query.ts';
import { NO_VALUE, resolveVariable } from '../plan/variable.ts';
import { dateOfParts, toDate } from './compare.ts';
import { type Fault, faultError } from './fault.ts';
import { isDecidable, operatorViolation, type Subject, UNKNOWN } from './operation.ts';
import { Matcher } from './regex.ts';

type FieldFilter = Extract<Filter, { kind: 'field' }>;

/** The context of rules besides the payload. */
export interface ValidationContext {
  /** Determines the types of members; null when they are not fields. */
  readonly collection: Collection | null;
  /** Determines the targets of relations; without it members of related items have no types. */
  readonly catalog?: Catalog;
  readonly caller: Caller;
  readonly now: Date;
  /**
   * The values of variables with a path: null without a value, absent if the path cannot be
   * resolved.
   */
  readonly records?: ReadonlyMap<string, unknown>;
}

/** The object in which names are looked up, and the path to it. */
interface Level {
  readonly item: JsonObject;
  /** Determines the types of its members; null where any member is valid. */
  readonly collection: Collection | null;
  readonly path: readonly string[];
  /** The filter of the item's own field; absent on lower levels. */
  readonly own?: FieldFilter;
}

/** The result of validating an item. */
export interface ValidationResult {
  /** One for each rule that it violates; an open rule counts as violated. */
  readonly faults: readonly ServiceError[];
  /** Conditions, each on one field of the item, that only PostgreSQL can evaluate. */
  readonly open: readonly Filter[];
}

const NOTHING_HELD: ReadonlySet<Filter> = new Set();
const leaves = new WeakMap<Filter, Filter>();

/**
 * Wraps a condition on one value as a condition on the item. It returns the same object each time,
 * so that the result can be matched by identity.
 */
function leafOf(own: FieldFilter, filter: Filter): Filter {
  const known = leaves.get(filter);
  if (known !== undefined) return known;
  const leaf: Filter = { ...own, filter };
  leaves.set(filter, leaf);
  return leaf;
}

/** Operators for payloads only; the grammar of filters parses them as fields. */
const PAYLOAD_OPERATORS: ReadonlySet<string> = new Set(['_regex', '_submitted']);

/** The week of ISO-8601: the first one has the year's first Thursday. */
function isoWeek(date: Date): number {
  const thursday = new Date(date);
  thursday.setUTCDate(date.getUTCDate() + 4 - (date.getUTCDay() || 7));
  const start = Date.UTC(thursday.getUTCFullYear(), 0, 1);
  return Math.ceil(((thursday.getTime() - start) / 86_400_000 + 1) / 7);
}

const PARTS: Readonly<Record<string, (date: Date) => number>> = {
  year: (date) => date.getUTCFullYear(),
  month: (date) => date.getUTCMonth() + 1,
  week: isoWeek,
  day: (date) => date.getUTCDate(),
  weekday: (date) => date.getUTCDay(),
  hour: (date) => date.getUTCHours(),
  minute: (date) => date.getUTCMinutes(),
  second: (date) => date.getUTCSeconds(),
};

/** An own member; inherited properties were not sent. */
function memberOf(item: JsonObject, name: string): unknown {
  return Object.hasOwn(item, name) ? item[name] : undefined;
}

/** The result of a function on a member; a value that is not a date has no parts. */
function called(
  { name, field }: FunctionCall,
  item: JsonObject,
  collection: Collection | null,
): unknown {
  const value = memberOf(item, field);
  if (value === undefined || value === null) return value;
  if (name === 'count') return Array.isArray(value) ? value.length : UNKNOWN;
  const part = PARTS[name];
  const column = columnOf(collection, field);
  const date = column !== null && isTemporal(column) ? dateOfParts(column, value) : toDate(value);
  return part === undefined || date === null ? UNKNOWN : part(date);
}

export class Validation {
  readonly #facts: ValidationContext;
  readonly #rules: readonly Filter[];
  readonly #matcher = new Matcher();
  #held = NOTHING_HELD;
  #open = new Set<Filter>();

  constructor(facts: ValidationContext, rules: readonly Filter[]) {
    this.#facts = facts;
    this.#rules = rules;
  }

  /** The errors of an item, one for each rule that it violates. */
  faults(item: JsonObject): readonly ServiceError[] {
    return this.judge(item).faults;
  }

  /** @param held conditions that were open before and hold for the item */
  judge(item: JsonObject, held: ReadonlySet<Filter> = NOTHING_HELD): ValidationResult {
    const { collection } = this.#facts;
    const level = { item, collection, path: [] };
    this.#held = held;
    this.#open = new Set();
    const faults = this.#rules.flatMap((rule) => this.#level(rule, level)).map(faultError);
    // An item that is valid whatever the open conditions yield needs no query.
    return { faults, open: faults.length === 0 ? [] : [...this.#open] };
  }

  /**
   * The value of a preset, with dynamic variables replaced by their values; null for one without a
   * value.
   */
  resolve(value: unknown): unknown {
    const found = this.#operand(value);
    if (Array.isArray(found)) return found.filter((entry) => entry !== UNKNOWN);
    return found === UNKNOWN ? null : found;
  }

  #operand(value: unknown): unknown {
    if (Array.isArray(value)) return value.flatMap((entry) => this.#operand(entry));
    if (typeof value !== 'string') return value;
    const { caller, now, records } = this.#facts;
    const record = records?.get(value);
    if (record !== undefined) return record ?? UNKNOWN;
    const found = resolveVariable({ caller, now }, value);
    return found === NO_VALUE ? UNKNOWN : found;
  }

  /** One passing alternative is enough; an empty list rejects everything. */
  #any(filters: readonly Filter[], judge: (filter: Filter) => Fault[]): Fault[] {
    if (filters.length === 0) return [{ path: [], type: 'unreadable', details: {} }];
    const found = filters.map(judge);
    return found.some((faults) => faults.length === 0) ? [] : found.flat();
  }

  #group(filter: Extract<Filter, { kind: 'group' }>, judge: (filter: Filter) => Fault[]): Fault[] {
    const { connective, filters } = filter;
    return connective === 'or' ? this.#any(filters, judge) : filters.flatMap(judge);
  }

  /** Evaluates a filter whose names are members of an object. */
  #level(filter: Filter, level: Level): Fault[] {
    if (filter.kind === 'group') return this.#group(filter, (part) => this.#level(part, level));
    const { item, collection, path } = level;
    if (filter.kind !== 'field') {
      return this.#value(filter, { value: UNKNOWN, field: null }, { ...level, collection: null });
    }
    const call = parseFunctionCall(filter.key);
    const value = call === null ? memberOf(item, filter.key) : called(call, item, collection);
    const name = call?.field ?? filter.key;
    const field = call === null ? columnOf(collection, name) : null;
    const isOwn = path.length === 0 && columnOf(collection, name) !== null;
    const below: Level = {
      ...{ item, collection: this.#behind(collection, name), path: [...path, name] },
      ...(isOwn ? { own: filter } : {}),
    };
    return this.#value(filter.filter, { value, field }, below);
  }

  /** The collection of a relation's items; null where it is unknown. */
  #behind(collection: Collection | null, name: string): Collection | null {
    const { catalog } = this.#facts;
    if (catalog === undefined || collection === null) return null;
    const relation = catalog.relations.get(collection.name)?.get(name);
    if (relation === undefined || relation.kind === 'a2o') return null;
    const side = relation.kind === 'm2o' ? relation.one : relation.many;
    return catalog.collections.get(side.collection) ?? null;
  }

  /** Evaluates a filter that applies to one value. */
  #value(filter: Filter, subject: Subject, level: Level): Fault[] {
    switch (filter.kind) {
      case 'group':
        return this.#group(filter, (part) => this.#value(part, subject, level));
      case 'operation':
        return this.#judge(filter.operator, filter.value, subject, { ...level, filter });
      case 'field':
        return this.#below(filter, subject, level);
      default: {
        // Lists of related items cannot be evaluated in a payload, and contents of values not in
        // memory.
        const unknown = { ...subject, value: missingOr(subject) };
        return this.#judge(filter.kind, null, unknown, { ...level, filter });
      }
    }
  }

  /**
   * Evaluates the members of an object sent for a relation; if only a key was sent, they are
   * unknown.
   */
  #below(filter: FieldFilter, subject: Subject, level: Level): Fault[] {
    const { value } = subject;
    if (PAYLOAD_OPERATORS.has(filter.key) && filter.filter.kind === 'operation') {
      return this.#judge(filter.key, filter.filter.value, subject, { ...level, filter });
    }
    if (value === undefined) return [];
    const { own: _, ...inner } = level;
    if (isJsonObject(value)) return this.#level(filter, { ...inner, item: value });
    const path = [...level.path, filter.key];
    return this.#value(filter.filter, { value: UNKNOWN, field: null }, { ...inner, path });
  }

  #judge(
    operator: string,
    value: unknown,
    subject: Subject,
    { path, own, filter }: Pick<Level, 'path' | 'own'> & { readonly filter: Filter },
  ): Fault[] {
    const operand = this.#operand(value);
    const found = operatorViolation(operator, subject, operand, this.#matcher);
    if (own === undefined || !isLeftOpen(operator, subject, operand)) {
      return found === null ? [] : [{ path, ...found }];
    }
    const leaf = leafOf(own, filter);
    if (this.#held.has(leaf)) return [];
    this.#open.add(leaf);
    return [{ path, ...(found ?? { type: operator.replace(/^_/, ''), details: {} }) }];
  }
}

/**
 * Whether only PostgreSQL can evaluate an operator; no test holds for a variable without a value.
 */
function isLeftOpen(operator: string, subject: Subject, operand: unknown): boolean {
  if (subject.value === undefined) return false;
  const operands = Array.isArray(operand) ? operand : [operand];
  if (operands.includes(UNKNOWN) || PAYLOAD_OPERATORS.has(operator)) return false;
  return subject.value === UNKNOWN || !isDecidable(operator, subject, operand);
}

function missingOr({ value }: Subject): unknown {
  return value === undefined ? undefined : UNKNOWN;
}

/** Whether an object that is not an item of a collection meets a filter. */
export function passesFilter(filter: Filter, members: JsonObject, caller: Caller): boolean {
  const facts = { collection: null, caller, now: new Date() };
  return new Validation(facts, [filter]).faults(members).length === 0;
}
