/**
 * A filter as a phrase: what holds of which fields, in the order in which people say it. Unlike the
 * tree of the editor it understands all that the API does: several conditions on one related item,
 * groups within relations, fields of any collection.
 */
import { type RelationKind, relationOf } from '../data/relation-of.ts';
import type { Filter, Relation } from '../data/schema-types.ts';
import { fieldName } from '../translation/names.ts';
import { isOperator, operandOf } from './operators.ts';
import type { FieldsOf, Target } from './steps.ts';

/** What a value is of: by this it is shown as people know it. */
export type Compared = Pick<Target, 'field' | 'type' | 'related'>;

export type Phrase =
  | { readonly kind: 'all' | 'any'; readonly members: readonly Phrase[] }
  | {
      /** Of the related items of a list. */
      readonly kind: 'some' | 'none';
      readonly names: readonly string[];
      readonly inner: Phrase;
    }
  | {
      readonly kind: 'is';
      /** The fields that lead there. */
      readonly names: readonly string[];
      /** Whether the number of items is compared. */
      readonly counted: boolean;
      readonly operator: string;
      readonly values: readonly unknown[];
      readonly compared: Compared;
    }
  | { readonly kind: 'raw'; readonly text: string };

export interface Names {
  readonly locale: string;
  readonly fieldsOf: FieldsOf;
  readonly relations: readonly Relation[];
}

const OPPOSITES: Readonly<Record<string, string>> = {
  _null: '_nnull',
  _nnull: '_null',
  _empty: '_nempty',
  _nempty: '_empty',
};
const CALL = /^(\w+)\((.+)\)$/;

function isObject(value: unknown): value is Filter {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function raw(name: string, value: unknown): Phrase {
  return { kind: 'raw', text: JSON.stringify({ [name]: value }) };
}

function joined(kind: 'all' | 'any', members: readonly Phrase[]): Phrase {
  const [only] = members;
  return only !== undefined && members.length === 1 ? only : { kind, members };
}

/** A place that a condition is about: the collection, and the fields that have led there. */
interface Place {
  readonly collection: string;
  readonly names: readonly string[];
}

function comparison(
  names: readonly string[],
  counted: boolean,
  compared: Compared,
  [operator, value]: readonly [string, unknown],
): Phrase {
  if (operandOf(operator) !== 'none') {
    const values = Array.isArray(value) ? value : [value];
    return { kind: 'is', names, counted, operator, values, compared };
  }
  const said = value === true ? operator : value === false ? OPPOSITES[operator] : undefined;
  if (said === undefined) return raw(operator, value);
  return { kind: 'is', names, counted, operator: said, values: [], compared };
}

/** Reads members at a field without a way onward: its operators. */
function operators(
  value: unknown,
  { names, counted, compared }: Extract<Phrase, { kind: 'is' }>,
): Phrase {
  if (!isObject(value)) return comparison(names, counted, compared, ['_eq', value]);
  return joined(
    'all',
    Object.entries(value).map(([operator, operand]) => {
      if (operator === '_and' || operator === '_or') {
        const list = Array.isArray(operand) ? operand : [];
        const about = { kind: 'is', names, counted, compared, operator: '', values: [] } as const;
        return joined(
          operator === '_and' ? 'all' : 'any',
          list.map((one) => operators(one, about)),
        );
      }
      if (!isOperator(operator)) return raw(names.at(-1) ?? '', { [operator]: operand });
      return comparison(names, counted, compared, [operator, operand]);
    }),
  );
}

/** Where the rows of a list are, and what stands between: of many-to-many its junction is not told. */
function listed(relation: RelationKind, value: Filter) {
  if (relation.kind === 'm2m') {
    const [only, ...others] = Object.keys(value);
    const inner = value[relation.junctionField];
    if (only === relation.junctionField && others.length === 0 && isObject(inner)) {
      return { collection: relation.related, filter: inner };
    }
    return { collection: relation.junction, filter: value };
  }
  const collection = relation.kind === 'm2a' ? relation.junction : relation.related;
  return { collection, filter: value };
}

function listPhrase(place: Place, relation: RelationKind, value: Filter, context: Names): Phrase {
  const { names } = place;
  const of = (kind: 'some' | 'none', inner: unknown): Phrase => {
    if (!isObject(inner)) return raw(names.at(-1) ?? '', value);
    const { collection, filter } = listed(relation, inner);
    return { kind, names, inner: read({ collection, names: [] }, filter, context) };
  };
  // Without a quantifier each condition may hold of another item.
  const members = Object.entries(value).map(([name, inner]) => {
    if (name === '_some') return of('some', inner);
    if (name === '_none') return of('none', inner);
    return of('some', { [name]: inner });
  });
  return joined('all', members);
}

function member(place: Place, name: string, value: unknown, context: Names): Phrase {
  if ((name === '_and' || name === '_or') && Array.isArray(value)) {
    const parts = value.filter(isObject).map((part) => read(place, part, context));
    return joined(name === '_and' ? 'all' : 'any', parts);
  }
  const [, call, argument] = CALL.exec(name) ?? [];
  // Of many-to-any the collection stands behind the field.
  const [bare = name, scope] = (argument ?? name).split(':');
  const { locale, fieldsOf, relations } = context;
  const field = fieldsOf(place.collection).find((known) => known.field === bare);
  const said = field === undefined ? bare : fieldName(field, locale);
  const counted = call === 'count';
  const names = [...place.names, call === undefined || counted ? said : `${call}(${said})`];
  const is = (compared: Compared): Phrase =>
    operators(value, { kind: 'is', names, counted, compared, operator: '', values: [] });
  if (call !== undefined) return is({ field: null, type: 'integer', related: null });
  if (scope !== undefined && isObject(value)) {
    return read(
      { collection: scope, names: [...place.names, `${said} (${scope})`] },
      value,
      context,
    );
  }
  const relation = field === undefined ? null : relationOf(relations, field);
  if (field === undefined || relation === null) {
    return is({ field: field ?? null, type: field?.type ?? 'unknown', related: null });
  }
  if (relation.kind !== 'm2o') {
    return isObject(value)
      ? listPhrase({ ...place, names }, relation, value, context)
      : raw(name, value);
  }
  const key = { field, type: field.type, related: relation.related };
  const onward = isObject(value) && Object.keys(value).some((step) => !isOperator(step));
  if (!onward) return is(key);
  return joined(
    'all',
    Object.entries(value).map(([step, inner]) =>
      isOperator(step)
        ? comparison(names, false, key, [step, inner])
        : member({ collection: relation.related, names }, step, inner, context),
    ),
  );
}

function read(place: Place, filter: Filter, context: Names): Phrase {
  const entries = Object.entries(filter);
  return joined(
    'all',
    entries.map(([name, value]) => member(place, name, value, context)),
  );
}

/** Reads a filter on a collection; null for no condition. */
export function phraseOf(collection: string, filter: Filter | null, context: Names): Phrase | null {
  if (filter === null || Object.keys(filter).length === 0) return null;
  return read({ collection, names: [] }, filter, context);
}

/** The names that a filter has anywhere, by which the collections are found that it leads to. */
export function namesIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    name,
    CALL.exec(name)?.[2] ?? name,
    ...namesIn(inner),
  ]);
}
