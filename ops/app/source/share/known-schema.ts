/** What a text in GraphQL has to know of the schema: fields by their collection, and relations. */
import { relationOf } from '../data/relation-of.ts';
import type { Field, Filter, Relation } from '../data/schema-types.ts';
import { isItem } from '../data/values.ts';
import type { ReadRequest } from './request.ts';

export interface KnownSchema {
  readonly relations: readonly Relation[];
  /** The readable fields of a collection; none while they are unknown. */
  readonly fieldsOf: (collection: string) => readonly Field[];
}

/** A step of a path: `name`, `function(name)` or `name:collection`. */
export interface Step {
  readonly name: string;
  readonly call: string | null;
  readonly scope: string | null;
}

const CALL = /^(\w+)\((.*)\)$/;

/** Reads a path of fields; a dot in the argument of a function separates nothing. */
export function stepsOf(path: string): readonly Step[] {
  return path.split(/\.(?![^(]*\))/).map((step) => {
    const [, call = null, argument = ''] = CALL.exec(step) ?? [];
    if (call !== null) return { name: argument, call, scope: null };
    const [name = '', scope = null] = step.split(':');
    return { name, call, scope };
  });
}

/** The collection to which a field leads; null for a value, and for items of several collections. */
export function targetOf(
  { relations }: Pick<KnownSchema, 'relations'>,
  collection: string,
  field: string,
): string | null {
  const relation = relationOf(relations, { collection, field });
  if (relation === null) return null;
  return relation.kind === 'm2o' || relation.kind === 'o2m' ? relation.related : relation.junction;
}

/** The collections whose fields the text needs. */
export function askedCollections(
  request: ReadRequest,
  relations: readonly Relation[],
): readonly string[] {
  const asked = new Set([request.collection]);
  const follow = (collection: string, { name, call, scope }: Step): string | null => {
    const target = scope ?? (call === null ? targetOf({ relations }, collection, name) : null);
    if (target !== null) asked.add(target);
    return target;
  };
  const followFilter = (collection: string, filter: Filter) => {
    for (const [name, value] of Object.entries(filter)) {
      const isGroup = name.startsWith('_');
      const [step] = stepsOf(name);
      const target = isGroup || step === undefined ? collection : follow(collection, step);
      if (target === null) continue;
      for (const part of [value].flat()) if (isItem(part)) followFilter(target, part);
    }
  };
  for (const path of request.fields) {
    let place: string | null = request.collection;
    for (const step of stepsOf(path)) if (place !== null) place = follow(place, step);
  }
  if (request.kind === 'list' && request.filter) followFilter(request.collection, request.filter);
  return [...asked];
}
