/** The fields of an item in their groups and widths, each with its control. */
import Box from '@mui/material/Box';
import { type ReactNode, useMemo } from 'react';
import type { Field } from '../data/schema-types.ts';
import { textOption } from '../data/values.ts';
import { FieldsContext, type FieldsProps } from '../interface/fields-context.ts';
import { FieldControl } from './field-control.tsx';
import { Section } from './group.tsx';
import { allWithin, GRID, isGroup, membersOf, placeOf, ROOM } from './layout.ts';
import { type FieldWithRelation, useFieldStates } from './use-field-states.ts';

const NOTHING: ReadonlySet<string> = new Set();

export function Fields(props: FieldsProps) {
  const { collection, fields, item, changes, onChange, itemKey, action } = props;
  const { faults, omit = NOTHING, readOnly = false } = props;
  const values = useMemo(() => ({ ...item, ...changes }), [item, changes]);
  const states = useFieldStates(collection, fields, values, action);
  const byName = useMemo(
    () => new Map(states.map((state) => [state.field.field, state])),
    [states],
  );
  const isShown = (field: Field) =>
    byName.get(field.field)?.hidden !== true && !omit.has(field.field);
  const isFaulty = (members: readonly Field[]) =>
    members.some(({ field }) => faults.some(({ path }) => path[0] === field));

  const control = (state: FieldWithRelation) => {
    const name = state.field.field;
    return (
      <FieldControl
        key={name}
        state={readOnly ? { ...state, readOnly } : state}
        relation={state.relation}
        value={state.field.type === 'alias' ? changes[name] : values[name]}
        onChange={onChange}
        itemKey={itemKey}
        faults={faults}
      />
    );
  };

  const section = (field: Field, children: ReactNode, members: readonly Field[], open: boolean) => (
    <Box key={field.field} data-field={field.field} sx={placeOf(field)}>
      <Section field={field} faulty={isFaulty(members)} startsOpen={open}>
        {children}
      </Section>
    </Box>
  );

  const group = (field: Field): ReactNode => {
    const members = membersOf(fields, field.field).filter(isShown);
    if (members.length === 0) return null;
    const kind = field.meta?.interface;
    if (kind === 'group-detail') {
      const open = textOption(field.meta?.options, 'start') !== 'closed';
      return section(field, members.map(one), allWithin(fields, field.field), open);
    }
    if (kind === 'group-accordion') {
      // Each member is a section of its own, with what is in it.
      const opens = field.meta?.options?.accordionMode === false;
      return (
        <Box key={field.field} sx={{ ...placeOf(field), display: 'grid', gap: 1 }}>
          {members.map((member) => {
            const inner = isGroup(member) ? allWithin(fields, member.field) : [member];
            const content = isGroup(member)
              ? membersOf(fields, member.field).filter(isShown)
              : [member];
            return section(member, content.map(one), inner, opens);
          })}
        </Box>
      );
    }
    return members.map(one);
  };

  const one = (field: Field): ReactNode => {
    if (isGroup(field)) return group(field);
    const state = byName.get(field.field);
    return state === undefined ? null : control(state);
  };

  return (
    <FieldsContext value={Fields}>
      <Box sx={ROOM}>
        <Box sx={GRID}>{membersOf(fields, null).filter(isShown).map(one)}</Box>
      </Box>
    </FieldsContext>
  );
}
