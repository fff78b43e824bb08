/** The states of all fields of a form, as they follow from metadata, rights and what is typed. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { meQuery, relationsQuery, useRights } from '../data/queries.ts';
import { type RelationKind, relationOf } from '../data/relation-of.ts';
import { may } from '../data/rights.ts';
import type { Field, Item, Relation, Rights } from '../data/schema-types.ts';
import { type FieldState, fieldState } from './field-state.ts';

export interface FieldWithRelation extends FieldState {
  readonly relation: RelationKind | null;
}

const NO_RELATIONS: readonly Relation[] = [];

/** The relation of a field, unless the caller may not read what it leads to. */
function visibleRelation(rights: Rights, relation: RelationKind | null): RelationKind | null {
  if (relation === null) return null;
  const needed = [
    ...(relation.kind === 'm2m' || relation.kind === 'm2a' ? [relation.junction] : []),
    ...('related' in relation ? [relation.related] : []),
  ];
  return needed.every((name) => may(rights, name, 'read')) ? relation : null;
}

export function useFieldStates(
  collection: string,
  fields: readonly Field[],
  values: Item,
  action: 'create' | 'update',
): readonly FieldWithRelation[] {
  const rights = useRights();
  const me = useQuery(meQuery).data;
  const relations = useQuery(relationsQuery).data ?? NO_RELATIONS;
  const related = useMemo(
    () =>
      new Map(
        fields.map((field) => [field.field, visibleRelation(rights, relationOf(relations, field))]),
      ),
    [fields, rights, relations],
  );
  const types = useMemo(() => new Map(fields.map(({ field, type }) => [field, type])), [fields]);
  return useMemo(() => {
    const rules = {
      values,
      types,
      user: me?.id ?? null,
      role: me?.role ?? null,
      now: new Date(),
    };
    return fields.map((field) => ({
      ...fieldState(field, { collection, action, rights, rules }),
      relation: related.get(field.field) ?? null,
    }));
  }, [collection, action, rights, values, types, me, fields, related]);
}
