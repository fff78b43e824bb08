/**
 * Documents may declare variables with alternative types for some arguments: both types are
 * accepted.
 */
import {
  type ASTVisitor,
  type GraphQLInputType,
  GraphQLList,
  type GraphQLNamedType,
  GraphQLNonNull,
  type GraphQLScalarType,
  GraphQLString,
  getNamedType,
  isListType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  specifiedRules,
  type TypeNode,
  type ValidationContext,
  VariablesInAllowedPositionRule,
} from 'graphql';
import { JSON_FILTER, JSON_VALUE } from './scalars.ts';
import { AUTH_MODE } from './system-types.ts';

/** The alternative type of a variable, by the type of the argument. */
const OTHERS: ReadonlyMap<GraphQLNamedType, GraphQLScalarType> = new Map<
  GraphQLNamedType,
  GraphQLScalarType
>([
  [AUTH_MODE, GraphQLString],
  [JSON_FILTER, JSON_VALUE],
]);

function nameOf(type: TypeNode): string {
  return type.kind === Kind.NAMED_TYPE ? type.name.value : nameOf(type.type);
}

/** A type whose innermost type is replaced. */
function withInner(type: GraphQLInputType, inner: GraphQLScalarType): GraphQLInputType {
  if (isListType(type)) return new GraphQLList(withInner(type.ofType, inner));
  if (!isNonNullType(type)) return inner;
  const { ofType } = type;
  return new GraphQLNonNull(
    isListType(ofType) ? new GraphQLList(withInner(ofType.ofType, inner)) : inner,
  );
}

function allowedPositions(context: ValidationContext): ASTVisitor {
  const getRecursiveVariableUsages = (operation: OperationDefinitionNode) => {
    const declared = new Map(
      operation.variableDefinitions?.map(({ variable, type }) => [variable.name.value, type]),
    );
    return context.getRecursiveVariableUsages(operation).map((usage) => {
      const own = declared.get(usage.node.name.value);
      if (own === undefined || !usage.type) return usage;
      const other = OTHERS.get(getNamedType(usage.type));
      const isOther = other !== undefined && nameOf(own) === other.name;
      return isOther ? { ...usage, type: withInner(usage.type, other) } : usage;
    });
  };
  const around: ValidationContext = Object.create(context, {
    getRecursiveVariableUsages: { value: getRecursiveVariableUsages },
  });
  return VariablesInAllowedPositionRule(around);
}

/** The rules of the specification, extended for alternative types. */
export const VALIDATION_RULES = specifiedRules.map((rule) =>
  rule === VariablesInAllowedPositionRule ? allowedPositions : rule,
);
