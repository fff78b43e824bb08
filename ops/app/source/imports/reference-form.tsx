/** How the values of a column find the items that rows refer to: by their key, or by another field. */
import Box from '@mui/material/Box';
import TextField from '@mui/material/TextField';
import { useQuery } from '@tanstack/react-query';
import type { ImportReference } from '../../../client/source/index.ts';
import { fieldsQuery, relationsQuery } from '../data/queries.ts';
import { relationOf } from '../data/relation-of.ts';
import type { Field } from '../data/schema-types.ts';
import { fieldName } from '../translation/names.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';

export interface ReferenceFormProps {
  readonly column: string;
  readonly field: Field;
  readonly reference: ImportReference | undefined;
  /** Undefined where the column has keys. */
  readonly onChange: (reference: ImportReference | undefined) => void;
}

const MISSING = ['reject', 'create', 'null'] as const;
const TEXTS = new Set(['string', 'text']);

/** Fields that people know items by: unique ones, and texts. */
function isNaming({ type, schema, meta }: Field): boolean {
  if (schema === null || schema.is_primary_key || meta?.special?.includes('conceal')) return false;
  return schema.is_unique || TEXTS.has(type);
}

export function ReferenceForm({ column, field, reference, onChange }: ReferenceFormProps) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const { data: relations = [] } = useQuery(relationsQuery);
  const relation = relationOf(relations, field);
  const related = relation?.kind === 'm2o' || relation?.kind === 'm2m' ? relation.related : '';
  const { data: known = [] } = useQuery({ ...fieldsQuery(related), enabled: related !== '' });
  const naming = known.filter(isNaming);
  if (naming.length === 0) return null;
  const { by = '', missing = 'reject' } = reference ?? {};
  const change = (changes: Partial<ImportReference>) => {
    const next = { field: field.field, by, missing, ...changes };
    onChange(next.by === '' ? undefined : next);
  };
  return (
    <Box sx={{ gridColumn: { sm: 2 }, display: 'flex', gap: 1.5, flexWrap: 'wrap' }}>
      <TextField
        select
        label={translate('imports.findBy')}
        value={by}
        onChange={({ target }) => change({ by: target.value })}
        slotProps={{
          select: { native: true },
          inputLabel: { shrink: true },
          htmlInput: { 'aria-label': translate('imports.findByOf', { column }) },
        }}
        sx={{ flex: '1 1 140px' }}
      >
        <option value="">{translate('imports.primaryKey')}</option>
        {naming.map((one) => (
          <option key={one.field} value={one.field}>
            {fieldName(one, locale)}
          </option>
        ))}
      </TextField>
      {by !== '' && (
        <TextField
          select
          label={translate('imports.missingItem')}
          value={missing}
          onChange={({ target }) =>
            change({ missing: MISSING.find((one) => one === target.value) ?? 'reject' })
          }
          slotProps={{
            select: { native: true },
            inputLabel: { shrink: true },
            htmlInput: { 'aria-label': translate('imports.missingItemOf', { column }) },
          }}
          sx={{ flex: '1 1 140px' }}
        >
          {MISSING.map((one) => (
            <option key={one} value={one}>
              {translate(`imports.missingItems.${one}`)}
            </option>
          ))}
        </TextField>
      )}
    </Box>
  );
}
