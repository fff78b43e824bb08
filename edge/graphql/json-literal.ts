/** JSON values in a document: their integers preserve all digits. */
import { type ConstValueNode, Kind, valueFromASTUntyped } from 'graphql';
import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload } from '#core/base/errors/service-error.ts';
import { JsonText } from '#core/model/values/composite-text.ts';

/** Whether JavaScript would change an integer; one that becomes infinite is refused later. */
function isDelicate(text: string): boolean {
  const value = Number(text);
  return Number.isFinite(value) && !Number.isSafeInteger(value);
}

function holdsDelicate(node: ConstValueNode): boolean {
  switch (node.kind) {
    case Kind.INT:
      return isDelicate(node.value);
    case Kind.LIST:
      return node.values.some(holdsDelicate);
    case Kind.OBJECT:
      return node.fields.some(({ value }) => holdsDelicate(value));
    default:
      return false;
  }
}

/** The same value as JSON text. */
function textOf(node: ConstValueNode): string {
  switch (node.kind) {
    case Kind.INT:
      return node.value;
    case Kind.LIST:
      return `[${node.values.map(textOf).join(',')}]`;
    case Kind.OBJECT:
      return `{${node.fields
        .map(({ name, value }) => `${JSON.stringify(name.value)}:${textOf(value)}`)
        .join(',')}}`;
    default:
      return JSON.stringify(valueFromASTUntyped(node));
  }
}

/** The value of a literal; its exact text if it contains numbers that JavaScript would change. */
export function literalToJson(node: ConstValueNode): unknown {
  return holdsDelicate(node) ? new JsonText(textOf(node)) : valueFromASTUntyped(node);
}

/**
 * Refuses such texts outside of items in user-defined collections, because other values accept
 * numbers as REST does.
 * @throws ServiceError INVALID_PAYLOAD
 */
export function requirePlain(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  if (value instanceof JsonText) {
    throw invalidPayload(reason('graphql_number_beyond_exact_range'));
  }
  for (const member of Object.values(value)) requirePlain(member);
}

/** A condition, whose large numbers become texts. */
export function literalToCondition(node: ConstValueNode): unknown {
  switch (node.kind) {
    case Kind.INT:
      return isDelicate(node.value) ? node.value : Number(node.value);
    case Kind.LIST:
      return node.values.map(literalToCondition);
    case Kind.OBJECT:
      return Object.fromEntries(
        node.fields.map(({ name, value }) => [name.value, literalToCondition(value)]),
      );
    default:
      return valueFromASTUntyped(node);
  }
}
