/**
 * Filters as the App edits them: groups of conditions. What the API's notation can say and the editor
 * cannot (several conditions on the same related item, documents, dynamic shorthands) is kept as it is.
 */
import type { Filter } from '../data/schema-types.ts';
import { isOperator, operandOf } from './operators.ts';

export interface Condition {
  readonly kind: 'condition';
  readonly id: number;
  /** The members that lead to the operator: fields, relations, `_some` and `_none`. */
  readonly path: readonly string[];
  readonly operator: string;
  /** A value, a list of them, or null when there is none yet. */
  readonly value: unknown;
}

export interface Group {
  readonly kind: 'group';
  readonly id: number;
  /** Whether all of its members hold, or one of them at least. */
  readonly all: boolean;
  readonly members: readonly Node[];
}

/** What is kept, but not edited. */
export interface Kept {
  readonly kind: 'kept';
  readonly id: number;
  readonly filter: Filter;
}

export type Node = Condition | Group | Kept;

let ids = 0;

/** A new number for a node, by which the page knows it again. */
export function nextId(): number {
  ids += 1;
  return ids;
}

function isObject(value: unknown): value is Filter {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function wrap(path: readonly string[], inner: unknown): Filter {
  const [first = '', ...others] = path;
  return { [first]: others.length === 0 ? inner : wrap(others, inner) };
}

function readMember(path: readonly string[], name: string, value: unknown): readonly Node[] {
  const id = nextId();
  if ((name === '_and' || name === '_or') && Array.isArray(value) && path.length === 0) {
    const members = value.filter(isObject).flatMap((member) => readObject([], member));
    return [{ kind: 'group', id, all: name === '_and', members }];
  }
  if (isOperator(name) && path.length > 0) {
    // `_null: false` is `_nnull: true`.
    const flag = operandOf(name) === 'none';
    if (flag && value !== true) return [{ kind: 'kept', id, filter: wrap([...path, name], value) }];
    return [{ kind: 'condition', id, path, operator: name, value: flag ? true : value }];
  }
  const onward = [...path, name];
  if (!isObject(value)) {
    const isShort = !name.startsWith('_') && !Array.isArray(value);
    if (isShort) return [{ kind: 'condition', id, path: onward, operator: '_eq', value }];
    return [{ kind: 'kept', id, filter: wrap(onward, value) }];
  }
  if (name.startsWith('_') && name !== '_some' && name !== '_none') {
    return [{ kind: 'kept', id, filter: wrap(onward, value) }];
  }
  // Conditions on one related item belong together.
  const isQuantified = onward.some((step) => step === '_some' || step === '_none');
  if (isQuantified && Object.keys(value).length !== 1) {
    return [{ kind: 'kept', id, filter: wrap(onward, value) }];
  }
  return readObject(onward, value);
}

function readObject(path: readonly string[], object: Filter): readonly Node[] {
  const nodes = Object.entries(object).flatMap(([name, value]) => readMember(path, name, value));
  if (nodes.length <= 1 || path.length > 0) return nodes;
  return [{ kind: 'group', id: nextId(), all: true, members: nodes }];
}

/** Reads a filter of the API. Its outermost group is always one. */
export function readFilter(filter: Filter | null): Group {
  const nodes = filter === null ? [] : readObject([], filter);
  const [only] = nodes;
  if (nodes.length === 1 && only?.kind === 'group') return only;
  return { kind: 'group', id: nextId(), all: true, members: nodes };
}

/** Whether a condition says something: its field, its operator, and what that compares with. */
export function isComplete({ path, operator, value }: Condition): boolean {
  if (path.length === 0 || operator === '') return false;
  switch (operandOf(operator)) {
    case 'none':
      return true;
    case 'list':
      return Array.isArray(value) && value.length > 0;
    case 'pair':
      return (
        Array.isArray(value) &&
        value.length === 2 &&
        value.every((end) => end !== null && end !== '')
      );
    default:
      return value !== null && value !== undefined && value !== '';
  }
}

function writeNode(node: Node): readonly Filter[] {
  if (node.kind === 'kept') return [node.filter];
  if (node.kind === 'condition') {
    return isComplete(node) ? [wrap([...node.path, node.operator], node.value)] : [];
  }
  const filter = writeFilter(node);
  return filter === null ? [] : [filter];
}

/** Writes a group as the API reads it, without what is not complete; null for no condition. */
export function writeFilter({ all, members }: Group): Filter | null {
  const written = members.flatMap(writeNode);
  const [only, ...others] = written;
  if (only === undefined) return null;
  return others.length === 0 ? only : { [all ? '_and' : '_or']: written };
}

/** How many conditions say something. */
export function countConditions(node: Node): number {
  if (node.kind === 'kept') return 1;
  if (node.kind === 'condition') return isComplete(node) ? 1 : 0;
  return node.members.reduce((sum, member) => sum + countConditions(member), 0);
}

/** Whether a condition at any depth says nothing yet, so that what is written leaves it out. */
export function hasIncomplete(node: Node): boolean {
  if (node.kind === 'group') return node.members.some(hasIncomplete);
  return node.kind === 'condition' && !isComplete(node);
}

/** The group with one of its nodes, at any depth, changed or, by null, removed. */
export function replaceNode(group: Group, id: number, next: (node: Node) => Node | null): Group {
  const members = group.members.flatMap((member) => {
    if (member.id === id) return next(member) ?? [];
    return member.kind === 'group' ? replaceNode(member, id, next) : member;
  });
  return { ...group, members };
}

/** The group with a node at the end of one of its groups, at any depth. */
export function addNode(group: Group, to: number, node: Node): Group {
  if (group.id === to) return { ...group, members: [...group.members, node] };
  const members = group.members.map((member) =>
    member.kind === 'group' ? addNode(member, to, node) : member,
  );
  return { ...group, members };
}
