/**
 * The way from a collection to what a condition is about, as the members of a filter: fields, and
 * relations that lead to the fields of another collection.
 */
import { type RelationKind, relationOf } from '../data/relation-of.ts';
import type { Field, Relation } from '../data/schema-types.ts';

/** Stands for the number of related items in a choice of fields. */
export const COUNT = 'count()';

export interface Step {
  /** The collection whose fields are offered. */
  readonly collection: string;
  /** What is chosen; empty for nothing yet. */
  readonly chosen: string;
  readonly quantifier: '_some' | '_none' | null;
}

export interface Target {
  readonly steps: readonly Step[];
  /** The field that the condition is about; null while the way is not complete. */
  readonly field: Field | null;
  readonly type: string;
  readonly concealed: boolean;
  /** The collection whose keys are compared with, for a relation to one item. */
  readonly related: string | null;
}

export type FieldsOf = (collection: string) => readonly Field[];

function stepOf(collection: string, chosen: string): Step {
  return { collection, chosen, quantifier: null };
}

interface Onward {
  readonly collection: string;
  /** The members of a filter on the way. */
  readonly members: readonly string[];
}

/** Where a relation leads to; many-to-any to its junction, whose rows say of which collection they are. */
function onwardOf(relation: RelationKind): Onward {
  switch (relation.kind) {
    case 'm2o':
      return { collection: relation.related, members: [] };
    case 'o2m':
      return { collection: relation.related, members: ['_some'] };
    case 'm2m':
      return { collection: relation.related, members: ['_some', relation.junctionField] };
    case 'm2a':
      return { collection: relation.junction, members: ['_some'] };
  }
}

const COUNTED = /^count\((.+)\)$/;

/** Follows a path of a filter from a collection; what it does not understand ends it. */
export function followPath(
  collection: string,
  path: readonly string[],
  fieldsOf: FieldsOf,
  relations: readonly Relation[],
): Target {
  const steps: Step[] = [];
  let at = collection;
  let rest = path;
  const unknown = { field: null, type: 'unknown', concealed: false, related: null };
  for (;;) {
    const [name, ...others] = rest;
    if (name === undefined) return { steps: [...steps, stepOf(at, '')], ...unknown };
    const counted = COUNTED.exec(name)?.[1];
    const field = fieldsOf(at).find((known) => known.field === (counted ?? name));
    if (field === undefined) return { steps: [...steps, stepOf(at, name)], ...unknown };
    if (counted !== undefined) {
      steps.push(stepOf(at, counted), stepOf(at, COUNT));
      return { steps, field, type: 'integer', concealed: false, related: null };
    }
    const relation = relationOf(relations, field);
    if (relation === null || (relation.kind === 'm2o' && others.length === 0)) {
      const related = relation?.kind === 'm2o' ? relation.related : null;
      const concealed = (field.meta?.special ?? '').split(',').includes('conceal');
      steps.push(stepOf(at, name));
      // A relation may be compared itself, by its key, or be followed.
      if (related !== null) steps.push(stepOf(related, ''));
      return { steps, field, type: field.type, concealed, related };
    }
    const { collection: next, members } = onwardOf(relation);
    const [first] = others;
    const quantifier = first === '_none' || first === '_some' ? first : null;
    const toMany = relation.kind !== 'm2o';
    steps.push({
      collection: at,
      chosen: name,
      quantifier: toMany ? (quantifier ?? '_some') : null,
    });
    // Other writers of filters leave `_some` out.
    rest = others.slice(members.length - (toMany && quantifier === null ? 1 : 0));
    at = next;
  }
}

/** The members of a filter for steps: what {@link followPath} makes them of. */
function pathOf(steps: readonly Step[], relations: readonly Relation[]): readonly string[] {
  const path: string[] = [];
  for (const [index, { collection, chosen, quantifier }] of steps.entries()) {
    if (chosen === '') break;
    if (steps[index + 1]?.chosen === COUNT) return [...path, `count(${chosen})`];
    const relation = relationOf(relations, { collection, field: chosen });
    const members = relation === null ? [] : onwardOf(relation).members;
    const onward = members.map((member) => (member === '_some' ? (quantifier ?? member) : member));
    path.push(chosen, ...onward);
  }
  return path;
}

/** The path with another choice at a step; what came after it is forgotten. */
export function choose(
  steps: readonly Step[],
  index: number,
  change: Partial<Pick<Step, 'chosen' | 'quantifier'>>,
  relations: readonly Relation[],
): readonly string[] {
  const changed = steps.flatMap((step, place) => {
    if (place < index) return step;
    if (place === index) return { ...step, ...change };
    return change.chosen === undefined ? step : [];
  });
  return pathOf(changed, relations);
}
