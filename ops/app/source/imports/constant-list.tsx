/** The fields that the file does not have, with the value that all rows get. */
import Box from '@mui/material/Box';
import IconButton from '@mui/material/IconButton';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import type { Field } from '../data/schema-types.ts';
import { Icon } from '../theme/icon.tsx';
import { fieldName } from '../translation/names.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import type { Plan } from './plan.ts';

export interface ConstantListProps {
  readonly plan: Plan;
  readonly fields: readonly Field[];
  readonly onChange: (constants: NonNullable<Plan['constants']>) => void;
}

/** Values that are no text, a number or a truth value are not typed here. */
const isTyped = ({ type }: Field) =>
  type !== 'json' && type !== 'alias' && !type.startsWith('geometry');

interface ConstantValueProps {
  readonly field: Field | undefined;
  readonly label: string;
  readonly value: unknown;
  readonly onChange: (value: string | boolean) => void;
}

function ConstantValue({ field, label, value, onChange }: ConstantValueProps) {
  const translate = useTranslate();
  const isTruth = field?.type === 'boolean';
  return (
    <TextField
      select={isTruth}
      value={String(value)}
      onChange={({ target }) =>
        onChange(isTruth && target.value !== '' ? target.value === 'true' : target.value)
      }
      slotProps={{ select: { native: true }, htmlInput: { 'aria-label': label } }}
      sx={{ flex: 1 }}
    >
      {isTruth &&
        ['', 'true', 'false'].map((truth) => (
          <option key={truth} value={truth}>
            {truth !== '' && translate(truth === 'true' ? 'list.yes' : 'list.no')}
          </option>
        ))}
    </TextField>
  );
}

export function ConstantList({ plan, fields, onChange }: ConstantListProps) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const constants = plan.constants ?? {};
  const mapped = new Set(Object.values(plan.mapping));
  const nameOf = (name: string) => {
    const field = fields.find((one) => one.field === name);
    return field === undefined ? name : fieldName(field, locale);
  };
  const free = fields.filter(
    (one) => isTyped(one) && !mapped.has(one.field) && !Object.hasOwn(constants, one.field),
  );
  const without = (name: string) =>
    Object.fromEntries(Object.entries(constants).filter(([one]) => one !== name));
  return (
    <Box sx={{ display: 'grid', gap: 1.5, mt: 2, maxWidth: 560 }}>
      {Object.entries(constants).map(([name, value]) => (
        <Box key={name} sx={{ display: 'flex', gap: 1, alignItems: 'center' }}>
          <Typography noWrap sx={{ flex: 1, minWidth: 0, fontWeight: 600 }}>
            {nameOf(name)}
          </Typography>
          <ConstantValue
            field={fields.find(({ field }) => field === name)}
            label={translate('imports.constantOf', { field: nameOf(name) })}
            value={value}
            onChange={(next) => onChange({ ...constants, [name]: next })}
          />
          <IconButton
            aria-label={translate('imports.removeConstant', { field: nameOf(name) })}
            onClick={() => onChange(without(name))}
          >
            <Icon name="close" />
          </IconButton>
        </Box>
      ))}
      {free.length > 0 && (
        <TextField
          select
          label={translate('imports.addConstant')}
          value=""
          onChange={({ target }) => onChange({ ...constants, [target.value]: '' })}
          slotProps={{ select: { native: true }, inputLabel: { shrink: true } }}
        >
          <option value="" />
          {free.map((field) => (
            <option key={field.field} value={field.field}>
              {fieldName(field, locale)}
            </option>
          ))}
        </TextField>
      )}
    </Box>
  );
}
