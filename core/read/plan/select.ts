/** Determines the selection of a level, from the requested names and the caller's permissions. */
import type { Field } from '#core/model/catalog/catalog.ts';
import type { Relation, ToMany } from '#core/model/catalog/relation.ts';
import {
  type FunctionCall,
  functionResultKey,
  parseFunctionCall,
} from '#core/query/function-call.ts';
import { requireWithin } from '#core/query/limits.ts';
import type { Level, Path, ValueForm } from '#core/query/query.ts';
import { planCall } from './call.ts';
import type { Entry } from './plan.ts';
import {
  columnRef,
  columnReference,
  isVisible,
  mayHide,
  parseScopedName,
  type Scope,
  unknownField,
  visibleField,
  visibleRelation,
  visibleRelationEnd,
} from './scope.ts';

/**
 * A relation to be nested: the requested paths of its items, for each collection they may be in.
 */
export interface Nested {
  readonly kind: 'nested';
  readonly relation: Relation;
  /** The field that was followed. */
  readonly field: string;
  /** By collection; the empty name stands for all of them. */
  readonly paths: Map<string, Path[]>;
}

/** A list of which only the keys or the number of its items is requested. */
export interface ListSummary {
  readonly kind: 'keys' | 'number';
  readonly list: ToMany;
  readonly form?: ValueForm;
}

/** Further values of the same item. */
interface SelectedObject {
  readonly kind: 'values';
  readonly entries: ReadonlyMap<string, SelectedEntry>;
}

/** The request for one key of the result. */
export type SelectedEntry =
  | Extract<Entry, { kind: 'value' | 'key' | 'constant' }>
  | Nested
  | ListSummary
  | SelectedObject;

function isPresentation(field: Field): boolean {
  return field.special.includes('no-data');
}

class Selection {
  /** The parts of the result's object, by key. */
  readonly entries = new Map<string, SelectedEntry>();
  readonly #scope: Scope;
  readonly #level: Level;

  constructor(scope: Scope, level: Level) {
    this.#scope = scope;
    this.#level = level;
    for (const path of level.fields) this.#add(path);
    this.#count();
  }

  /** Wildcards multiply below the root, so their fields count towards the limit too. */
  #count(): void {
    const { context, depth } = this.#scope;
    if (depth === 0) return;
    const { notes, bounds } = context;
    notes.fields += this.entries.size;
    requireWithin('fields', notes.fields, bounds.maxFields);
  }

  #add(path: Path): void {
    const [head = '', ...rest] = path;
    if (head === '*') this.#addAll(rest);
    else if (rest.length > 0) this.#addNested(head, rest);
    else this.#addLeaf(head);
  }

  /** `*`: every field as it is; with further segments, those segments for every relation. */
  #addAll(rest: Path): void {
    const scope = this.#scope;
    for (const field of scope.collection.fields.values()) {
      if (visibleField(scope, field.name) === null || isPresentation(field)) continue;
      // An alias replaces the field of its name, as when it is requested by name.
      if (this.#level.alias.has(field.name)) continue;
      const relation = visibleRelation(scope, field.name);
      if (this.#expand(field.name, relation, rest) || this.entries.has(field.name)) continue;
      const leaf = this.#leafOf(field, relation);
      if (leaf !== null) this.entries.set(field.name, leaf);
    }
    for (const [name, real] of this.#level.alias) {
      if (this.#expand(name, visibleRelation(scope, real), rest)) continue;
      if (!this.entries.has(name)) this.#addLeaf(name);
    }
  }

  /** Expands a relation that a wildcard matched, if the path or `deep` requests it. */
  #expand(name: string, relation: Relation | null, rest: Path): boolean {
    if (relation === null || !this.#isReachable(relation)) return false;
    const back = !this.#scope.context.backlink && isReverse(this.#scope.through, relation);
    if (rest.length > 0 && !back) this.#nest(name, relation, '', rest);
    else if (this.#isShaped(name)) this.#nest(name, relation, '', null);
    else return false;
    return true;
  }

  /** Whether `deep` requests more of the relation's items than their keys. */
  #isShaped(name: string): boolean {
    const { deep: below, constants } = this.#level;
    const deep = below.get(name);
    // Where constants may be requested, an object may consist of constants only, or be empty.
    if (constants !== undefined) {
      return deep !== undefined || [...below.keys()].some((key) => key.startsWith(`${name}:`));
    }
    if (deep === undefined) return false;
    return deep.fields.length > 0 || deep.aggregate.length > 0 || deep.groupBy.length > 0;
  }

  /** Whether some collection behind the relation is visible. */
  #isReachable(relation: Relation): boolean {
    const scope = this.#scope;
    if (relation.kind !== 'a2o') return true;
    return relation.allowed.some((end) => isVisible(scope, end.collection));
  }

  /** The plain value of a field; null for fields that a wildcard skips. */
  #leafOf(field: Field, relation: Relation | null): SelectedEntry | null {
    const scope = this.#scope;
    const { column } = field;
    if (column !== null) {
      return {
        kind: 'value',
        value: { kind: 'column', column: columnReference(scope, { ...field, column }) },
      };
    }
    if (relation === null || relation.kind === 'm2o' || relation.kind === 'a2o') return null;
    return { kind: 'keys', list: relation };
  }

  /** An entry that is not a field: a constant, or an object of values; null for fields. */
  #madeOf(name: string): SelectedEntry | null {
    const text = this.#level.constants?.get(name);
    if (text !== undefined) return { kind: 'constant', text };
    const object = this.#level.objects?.get(name);
    if (object === undefined) return null;
    return { kind: 'values', entries: selectionOf(this.#scope, object) };
  }

  /** A value in the requested format. */
  #formed(name: string, entry: SelectedEntry): SelectedEntry {
    const form = this.#level.forms?.get(name);
    if (form === undefined) return entry;
    return entry.kind === 'value' || entry.kind === 'number' ? { ...entry, form } : entry;
  }

  #addLeaf(name: string): void {
    const scope = this.#scope;
    const made = this.#madeOf(name);
    if (made !== null) {
      this.entries.set(name, made);
      return;
    }
    const real = this.#level.alias.get(name) ?? name;
    const relation = visibleRelation(scope, real);
    if (relation !== null && this.#isShaped(name)) {
      this.#nest(name, relation, '', null);
      return;
    }
    if (this.entries.get(name)?.kind === 'nested') return;
    const field = visibleField(scope, real);
    const value = field === null ? null : this.#leafOf(field, relation);
    const found = value ?? this.#relationKey(relation);
    if (found !== null) {
      this.entries.set(name, this.#formed(name, found));
      return;
    }
    const call = parseFunctionCall(real);
    if (call === null) throw unknownField(scope, real, 'fields');
    const output = real === name ? functionResultKey(call) : name;
    const counted = this.#countOf(call);
    const called = counted ?? { kind: 'value', value: planCall(scope, call, 'fields') };
    this.entries.set(output, this.#formed(output, called));
  }

  /** A call that counts the items of a list without a usable index. */
  #countOf(call: FunctionCall): ListSummary | null {
    const list = call.name === 'count' ? visibleRelation(this.#scope, call.field) : null;
    if (list === null || list.kind === 'm2o' || list.kind === 'a2o') return null;
    return list.indexed ? null : { kind: 'number', list };
  }

  /** The bare key of a relation that has no field of its own; null when a part of it is missing. */
  #relationKey(relation: Relation | null): SelectedEntry | null {
    const scope = this.#scope;
    if (relation === null || relation.kind === 'a2o') return null;
    if (relation.kind !== 'm2o') return { kind: 'keys', list: relation };
    const columns = relation.many.columns.map((column) => columnRef(scope, column, 'fields'));
    return { kind: 'key', columns };
  }

  #addNested(head: string, rest: Path): void {
    const scope = this.#scope;
    const { field, collection } = parseScopedName(head);
    const real = this.#level.alias.get(field) ?? field;
    const relation = visibleRelation(scope, real);
    if (relation === null) throw unknownField(scope, path(head, rest), 'fields');
    if (collection === null) {
      this.#nest(field, relation, '', rest);
      return;
    }
    // Hidden collections of a many-to-any relation are omitted. For a caller with hidden
    // collections, so are missing ones. The rest of the relation stays.
    const isPart =
      relation.kind === 'a2o' &&
      (mayHide(scope) || visibleRelationEnd(scope, relation, collection) !== null);
    if (!isPart) throw unknownField(scope, head, 'fields');
    this.#nest(field, relation, collection, rest);
  }

  #nest(name: string, relation: Relation, collection: string, rest: Path | null): void {
    const existing = this.entries.get(name);
    const nested: Nested =
      existing?.kind === 'nested'
        ? existing
        : { kind: 'nested', relation, field: name, paths: new Map() };
    const paths = nested.paths.get(collection) ?? [];
    if (rest !== null) paths.push(rest);
    nested.paths.set(collection, paths);
    this.entries.set(name, nested);
  }
}

function path(head: string, rest: Path): string {
  return [head, ...rest].join('.');
}

/** Whether a relation leads straight back over the relation to this level. */
function isReverse(through: Relation | undefined, relation: Relation): boolean {
  if (through === undefined) return false;
  if (relation.kind === 'm2o' || relation.kind === 'a2o') {
    return (
      through.kind !== 'm2o' &&
      through.kind !== 'a2o' &&
      through.many.collection === relation.many.collection &&
      through.manyField === relation.field
    );
  }
  return (
    through.kind === 'm2o' &&
    through.many.collection === relation.many.collection &&
    through.field === relation.manyField
  );
}

/**
 * The selection of a level, by the keys of the result.
 * @throws ServiceError FORBIDDEN naming field and path; INVALID_QUERY beyond a limit
 */
export function selectionOf(scope: Scope, level: Level): ReadonlyMap<string, SelectedEntry> {
  return new Selection(scope, level).entries;
}
