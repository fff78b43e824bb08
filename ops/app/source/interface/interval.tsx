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
import { unreadable } from './unreadable.ts';

/** The texts as they were typed, which hold for one value of the field. */
interface Typed {
  readonly texts: Readonly<Partial<Record<Unit, string>>>;
  readonly at: string | null;
}

export function IntervalInterface(props: InterfaceProps) {
  const { value, onChange, readOnly, error, label } = props;
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const text = value === null || value === undefined ? null : String(value);
  const [typed, setTyped] = useState<Typed>({ texts: {}, at: text });
  const texts = typed.at === text ? typed.texts : {};
  const duration = text === null ? NO_DURATION : readDuration(text);
  // What is written in another style is typed as it is.
  if (duration === null) return <TextInterface {...props} />;
  const numberIn = (own: string) => Number(withPoint(own, locale).trim() || 0);
  const textOf = (unit: Unit) => {
    const own = texts[unit];
    const number = duration[unit];
    const isHalf = own !== undefined && !Number.isFinite(numberIn(own));
    if (own !== undefined && (isHalf || numberIn(own) === number)) return own;
    return number === 0 ? '' : withComma(String(number), locale);
  };
  const change = (unit: Unit, next: string) => {
    const all = { ...texts, [unit]: next };
    const number = numberIn(next);
    // A minus is no number yet.
    if (!Number.isFinite(number)) return setTyped({ texts: all, at: text });
    const changed: Duration = { ...duration, [unit]: number };
    const isNothing = next.trim() === '' && UNITS.every((one) => changed[one] === 0);
    const meant = isNothing ? null : writeDuration(changed);
    setTyped({ texts: all, at: meant });
    onChange(meant);
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
                ...unreadable(!Number.isFinite(numberIn(textOf(unit)))),
              },
            }}
          />
        ))}
      </Box>
    </ControlFrame>
  );
}
