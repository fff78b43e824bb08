/** A range by its two bounds, each with a switch that says whether it is part of the range. */
import Box from '@mui/material/Box';
import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import TextField from '@mui/material/TextField';
import { useState } from 'react';
import { withComma, withPoint } from '../data/decimal.ts';
import { boundType } from '../display/column-type.ts';
import { EMPTY_RANGE, type Range, readRange, writeRange } from '../display/range-value.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { ControlFrame } from './control-frame.tsx';
import type { InterfaceProps } from './interface.ts';
import { TextInterface } from './text.tsx';

const INPUTS: Readonly<Record<string, string>> = { date: 'date', dateTime: 'datetime-local' };
/** What a new range begins with, as PostgreSQL writes those of whole numbers and days. */
const NEW: Range = { lower: null, upper: null, includesLower: true, includesUpper: false };

/** A bound as its control takes it. */
function toControl(type: string, bound: string | null, locale: string): string {
  if (bound === null) return '';
  if (type === 'dateTime') return bound.replace(' ', 'T');
  return type === 'number' ? withComma(bound, locale) : bound;
}

/** What a control has, as the range takes it; null for no bound. */
function fromControl(type: string, text: string, locale: string): string | null {
  const bound = text.trim();
  if (bound === '') return null;
  if (type === 'dateTime') return bound.replace('T', ' ');
  return type === 'number' ? withPoint(bound, locale) : bound;
}

export function RangeInterface(props: InterfaceProps) {
  const { field, label, value, onChange, readOnly, error } = props;
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const type = boundType(field) ?? 'number';
  const text = value === null || value === undefined || value === '' ? null : String(value);
  const [begun, setBegun] = useState<Range>(NEW);
  const range = text === null ? begun : text === EMPTY_RANGE ? NEW : readRange(text);
  if (range === null) return <TextInterface {...props} />;
  const change = (part: Partial<Range>) => {
    const next = { ...range, ...part };
    setBegun(next);
    onChange(next.lower === null && next.upper === null ? null : writeRange(next));
  };
  const bound = (side: 'lower' | 'upper', includes: 'includesLower' | 'includesUpper') => {
    const name = translate(`interface.bound_${side}`);
    return (
      <Box>
        <TextField
          fullWidth
          label={name}
          type={INPUTS[type] ?? 'text'}
          value={toControl(type, range[side], locale)}
          error={error !== null}
          placeholder={translate('interface.noBound')}
          onChange={({ target }) => change({ [side]: fromControl(type, target.value, locale) })}
          slotProps={{
            input: { readOnly },
            inputLabel: { shrink: true },
            htmlInput: {
              dir: 'ltr',
              'aria-label': `${label}: ${name}`,
              ...(type === 'number' && { inputMode: 'decimal' }),
              ...(type === 'dateTime' && { step: 1 }),
            },
          }}
        />
        <FormControlLabel
          disabled={readOnly || range[side] === null}
          control={
            <Checkbox
              size="small"
              checked={range[side] !== null && range[includes]}
              onChange={(_, checked) => change({ [includes]: checked })}
            />
          }
          label={translate('interface.included')}
          slotProps={{ typography: { variant: 'body2' } }}
        />
      </Box>
    );
  };
  return (
    <ControlFrame {...props}>
      <Box
        sx={{
          ...{ display: 'grid', gap: 2, pt: 0.5 },
          gridTemplateColumns: 'repeat(auto-fit, minmax(140px, 1fr))',
        }}
      >
        {bound('lower', 'includesLower')}
        {bound('upper', 'includesUpper')}
      </Box>
      {text === EMPTY_RANGE && (
        <Box sx={{ fontSize: 13, color: 'text.secondary' }}>
          {translate('interface.emptyRange')}
        </Box>
      )}
    </ControlFrame>
  );
}
