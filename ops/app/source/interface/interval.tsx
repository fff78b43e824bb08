/** A duration by its parts: years, months, days, hours, minutes, seconds. */
import Box from '@mui/material/Box';
import TextField from '@mui/material/TextField';
import { useState } from 'react';
import { withComma, withPoint } from '../data/decimal.ts';
import {
  type Duration,
  NO_DURATION,
  readDuration,
  UNITS,
  type Unit,
  writeDuration,
} from '../display/interval-value.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { ControlFrame } from './control-frame.tsx';
import type { InterfaceProps } from './interface.ts';
import { TextInterface } from './text.tsx';

type Typed = Readonly<Partial<Record<Unit, string>>>;

export function IntervalInterface(props: InterfaceProps) {
  const { value, onChange, readOnly, error, label } = props;
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const [typed, setTyped] = useState<Typed>({});
  const text = value === null || value === undefined ? null : String(value);
  const duration = text === null ? NO_DURATION : readDuration(text);
  // What is written in another style is typed as it is.
  if (duration === null) return <TextInterface {...props} />;
  const numberIn = (own: string) => Number(withPoint(own, locale).trim() || 0);
  const textOf = (unit: Unit) => {
    const own = typed[unit];
    const number = duration[unit];
    const isHalf = own !== undefined && !Number.isFinite(numberIn(own));
    if (own !== undefined && (isHalf || numberIn(own) === number)) return own;
    return number === 0 ? '' : withComma(String(number), locale);
  };
  const change = (unit: Unit, next: string) => {
    setTyped({ ...typed, [unit]: next });
    // What is half typed, such as a minus, is no number yet.
    const number = numberIn(next);
    if (!Number.isFinite(number)) return;
    const changed: Duration = { ...duration, [unit]: number };
    const isNothing = next.trim() === '' && UNITS.every((one) => changed[one] === 0);
    onChange(isNothing ? null : writeDuration(changed));
  };
  return (
    <ControlFrame {...props}>
      <Box
        sx={{
          ...{ display: 'grid', gap: 1, pt: 0.5 },
          gridTemplateColumns: 'repeat(auto-fit, minmax(76px, 1fr))',
        }}
      >
        {UNITS.map((unit) => (
          <TextField
            key={unit}
            label={translate(`interface.unit_${unit}`)}
            value={textOf(unit)}
            error={error !== null || !Number.isFinite(numberIn(textOf(unit)))}
            onChange={({ target }) => change(unit, target.value)}
            slotProps={{
              input: { readOnly },
              inputLabel: { shrink: true },
              htmlInput: {
                inputMode: 'decimal',
                dir: 'ltr',
                placeholder: text === null ? '–' : '0',
                'aria-label': `${label}: ${translate(`interface.unit_${unit}`)}`,
              },
            }}
          />
        ))}
      </Box>
    </ControlFrame>
  );
}
