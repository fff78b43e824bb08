/** The relation of a field: where it leads, and what happens when one end goes. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useState } from 'react';
import type { RelationKind } from '../data/relation-of.ts';
import type { Item } from '../data/schema-types.ts';
import { Facts } from '../shell/facts.tsx';
import { Part } from '../shell/part.tsx';
import { Icon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { type ControlSpec, Controls } from './control.tsx';
import { deleteSpec, deselectSpec, ON_DELETE } from './relation-specs.ts';
import { ReverseDialog } from './reverse-dialog.tsx';

/** What can be changed of a relation that is there. */
export interface RelationActions {
  readonly onDelete: string | null;
  readonly onDeselect: string;
}

export function actionsOf({ relation }: Pick<RelationKind, 'relation'>): RelationActions {
  return {
    onDelete: relation.schema?.on_delete ?? null,
    onDeselect: relation.meta?.one_deselect_action ?? 'nullify',
  };
}

/** The body of `PATCH /relations/:collection/:field`; null when nothing has changed. */
export function relationPatch(before: RelationActions, after: RelationActions): Item | null {
  const { onDelete, onDeselect } = after;
  if (onDelete === before.onDelete && onDeselect === before.onDeselect) return null;
  return {
    ...(onDelete !== before.onDelete && { schema: { on_delete: onDelete } }),
    ...(onDeselect !== before.onDeselect && { meta: { one_deselect_action: onDeselect } }),
  };
}

export interface RelationPartProps {
  readonly relation: RelationKind;
  readonly actions: RelationActions;
  readonly onChange: (actions: RelationActions) => void;
}

export function RelationPart({ relation, actions, onChange }: RelationPartProps) {
  const translate = useTranslate();
  const [asks, setAsks] = useState(false);
  const { kind } = relation;
  const junction = kind === 'm2m' || kind === 'm2a';
  const known = deleteSpec(translate, junction);
  const stands = ON_DELETE.find((value) => value === actions.onDelete);
  const isListed = known.choices?.some(({ value }) => value === actions.onDelete) === true;
  const specs: readonly ControlSpec[] = [
    ...(actions.onDelete === null
      ? []
      : [
          {
            ...known,
            choices: [
              ...(isListed
                ? []
                : [
                    {
                      value: actions.onDelete,
                      text: translate(
                        `model.onDelete.${(stands ?? 'NO ACTION').replace(' ', '_')}`,
                      ),
                    },
                  ]),
              ...(known.choices ?? []),
            ],
          },
        ]),
    ...(kind === 'm2o' ? [] : [deselectSpec(translate, junction)]),
  ];
  return (
    <Part title={translate('model.relationTitle')}>
      <Facts
        facts={[
          { name: translate('model.relationKind'), value: translate(`model.kindOf.${kind}`) },
          {
            name: translate('model.member.related'),
            value: 'related' in relation ? relation.related : relation.allowed.join(', '),
          },
          {
            name: translate('model.junction'),
            value: 'junction' in relation ? relation.junction : null,
          },
          {
            name: translate('model.member.referring'),
            value: `${relation.relation.collection}.${relation.relation.field}`,
          },
        ]}
      />
      {kind === 'm2o' && !relation.relation.meta?.one_field && (
        <Box>
          <Button startIcon={<Icon name="add" />} onClick={() => setAsks(true)}>
            {translate('model.showReverse')}
          </Button>
        </Box>
      )}
      {asks && kind === 'm2o' && (
        <ReverseDialog
          referring={relation.relation}
          related={relation.related}
          onClose={() => setAsks(false)}
        />
      )}
      <Controls
        specs={specs}
        values={{ ...actions }}
        onChange={(name, value) => onChange({ ...actions, [name]: value ?? '' })}
      />
    </Part>
  );
}
