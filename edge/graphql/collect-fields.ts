/** Collects the selected fields of a type, fragments included (specification of GraphQL, 6.3.2). */
import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  getDirectiveValues,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import type { CoercedVariables } from './document-cache.ts';

/** The nodes of each response key, in the order in which the keys first appear. */
export type CollectedFields = Map<string, FieldNode[]>;

/** The definitions outside of a selection that it refers to. */
export interface SelectionContext {
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly variables: CoercedVariables;
}

function isIncluded(node: SelectionNode, { variables }: SelectionContext): boolean {
  if (node.directives === undefined || node.directives.length === 0) return true;
  if (getDirectiveValues(GraphQLSkipDirective, node, variables)?.if === true) return false;
  return getDirectiveValues(GraphQLIncludeDirective, node, variables)?.if !== false;
}

/**
 * @param types the names of the type and of the unions that it belongs to, to which fragments apply
 */
export function collectFields(
  sets: readonly (SelectionSetNode | undefined)[],
  types: ReadonlySet<string>,
  around: SelectionContext,
): CollectedFields {
  const collected: CollectedFields = new Map();
  const seen = new Set<string>();
  const visit = (set: SelectionSetNode | undefined): void => {
    for (const node of set?.selections ?? []) {
      if (!isIncluded(node, around)) continue;
      if (node.kind === 'Field') {
        const key = node.alias?.value ?? node.name.value;
        const nodes = collected.get(key);
        if (nodes === undefined) collected.set(key, [node]);
        else nodes.push(node);
      } else if (node.kind === 'InlineFragment') {
        const type = node.typeCondition?.name.value;
        if (type === undefined || types.has(type)) visit(node.selectionSet);
      } else if (!seen.has(node.name.value)) {
        seen.add(node.name.value);
        const fragment = around.fragments.get(node.name.value);
        if (fragment !== undefined && types.has(fragment.typeCondition.name.value)) {
          visit(fragment.selectionSet);
        }
      }
    }
  };
  for (const set of sets) visit(set);
  return collected;
}
