/**
 * Finds the collections that a document can reach: from those at its root, over relations that it
 * names, up to its nesting depth. A schema needs no other types.
 */
import type { Relation } from '#core/model/catalog/relation.ts';
import type { UsedNames } from './input-types.ts';
import type { SchemaShapes } from './schema-shapes.ts';

/** Whether a document can reach a collection. */
export type CollectionFilter = (collection: string) => boolean;

function targetsOf(relation: Relation): readonly string[] {
  if (relation.kind === 'a2o') return relation.allowed.map(({ collection }) => collection);
  return [relation.kind === 'm2o' ? relation.one.collection : relation.many.collection];
}

/** The maximum nesting of brackets in a text; brackets in its strings also count. */
export function nestingDepth(text: string): number {
  let depth = 0;
  let most = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    // { and }
    if (code === 0x7b) {
      depth += 1;
      most = Math.max(most, depth);
    } else if (code === 0x7d) depth -= 1;
  }
  return most;
}

/** @param steps maximum number of relations from the root to any part of the document */
export function reachableCollections(
  { catalog }: SchemaShapes,
  roots: Iterable<string>,
  wants: UsedNames,
  steps: number,
): CollectionFilter {
  const reached = new Set(roots);
  let frontier = [...reached];
  for (let step = 0; step < steps && frontier.length > 0; step += 1) {
    const next: string[] = [];
    for (const collection of frontier) {
      for (const [name, relation] of catalog.relations.get(collection) ?? []) {
        const isNamed = relation.kind === 'a2o' || wants(name);
        if (!isNamed) continue;
        for (const target of targetsOf(relation)) {
          if (reached.has(target)) continue;
          reached.add(target);
          next.push(target);
        }
      }
    }
    frontier = next;
  }
  return (collection) => reached.has(collection);
}
