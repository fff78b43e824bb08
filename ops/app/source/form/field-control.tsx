/** One field of a form with its control, in its place. */
import Box from '@mui/material/Box';
import { memo, useCallback } from 'react';
import { type Fault, faultAt, faultsBelow } from '../data/faults.ts';
import type { RelationKind } from '../data/relation-of.ts';
import { FieldInterface } from '../interface/field-interface.tsx';
import { fieldName } from '../translation/names.ts';
import { useLocaleState } from '../translation/use-translate.ts';
import type { FieldState } from './field-state.ts';
import { leavesSpace, placeOf } from './layout.ts';

interface FieldControlProps {
  readonly state: FieldState;
  readonly relation: RelationKind | null;
  readonly value: unknown;
  readonly onChange: (field: string, value: unknown) => void;
  readonly itemKey: string | null;
  readonly faults: readonly Fault[];
}

export const FieldControl = memo(function FieldControl(props: FieldControlProps) {
  const { state, relation, value, onChange, itemKey, faults } = props;
  const { field, readOnly, required } = state;
  const [locale] = useLocaleState();
  const name = field.field;
  const change = useCallback((next: unknown) => onChange(name, next), [onChange, name]);
  return (
    <>
      <Box data-field={name} sx={{ ...placeOf(field), minWidth: 0 }}>
        <FieldInterface
          field={field}
          label={fieldName(field, locale)}
          value={value}
          onChange={change}
          readOnly={readOnly}
          required={required}
          error={faultAt(faults, field)}
          faults={faultsBelow(faults, name)}
          itemKey={itemKey}
          relation={relation}
        />
      </Box>
      {leavesSpace(field) && <Box sx={{ gridColumn: 2, display: { xs: 'none', sm: 'block' } }} />}
    </>
  );
});
