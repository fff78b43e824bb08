/** A point of PostgreSQL by its two coordinates. */
import Box from '@mui/material/Box';
import TextField from '@mui/material/TextField';
import { useState } from 'react';
import { withComma, withPoint } from '../data/decimal.ts';
import { useLocaleState } from '../translation/use-translate.ts';
import { ControlFrame } from './control-frame.tsx';
import type { InterfaceProps } from './interface.ts';

const POINT = /^\s*\(?\s*([^\s,()]+)\s*,\s*([^\s,()]+)\s*\)?\s*$/;

type Coordinates = readonly [x: string, y: string];
const NONE: Coordinates = ['', ''];

function coordinatesOf(value: unknown): Coordinates {
  const [, x, y] = POINT.exec(String(value ?? '')) ?? [];
  return x === undefined || y === undefined ? NONE : [x, y];
}

export function PointInterface(props: InterfaceProps) {
  const { label, value, onChange, readOnly, error } = props;
  const [locale] = useLocaleState();
  const [typed, setTyped] = useState<Coordinates | null>(null);
  const stored = coordinatesOf(value);
  const meant = typed?.map((text) => withPoint(text.trim(), locale)) ?? [];
  const isHalf = typed?.some((text) => text.trim() === '') === true;
  const isSame = isHalf || meant.join() === stored.join();
  const shown = typed !== null && isSame ? typed : stored.map((text) => withComma(text, locale));
  const change = (index: number, text: string) => {
    const next: Coordinates = index === 0 ? [text, shown[1] ?? ''] : [shown[0] ?? '', text];
    setTyped(next);
    const [x, y] = next.map((one) => withPoint(one.trim(), locale));
    if (x === '' && y === '') onChange(null);
    else if (x !== '' && y !== '') onChange(`(${x},${y})`);
  };
  return (
    <ControlFrame {...props}>
      <Box sx={{ display: 'grid', gridTemplateColumns: '1fr 1fr', gap: 2, pt: 0.5 }}>
        {['x', 'y'].map((axis, index) => (
          <TextField
            key={axis}
            label={axis}
            value={shown[index] ?? ''}
            error={error !== null}
            onChange={({ target }) => change(index, target.value)}
            slotProps={{
              input: { readOnly },
              htmlInput: { inputMode: 'decimal', dir: 'ltr', 'aria-label': `${label}: ${axis}` },
            }}
          />
        ))}
      </Box>
    </ControlFrame>
  );
}
