/** A number between two ends, moved or typed. */
import Box from '@mui/material/Box';
import Slider from '@mui/material/Slider';
import TextField from '@mui/material/TextField';
import { numberOption } from '../data/values.ts';
import { ControlFrame } from './control-frame.tsx';
import type { InterfaceProps } from './interface.ts';

export function SliderInterface(props: InterfaceProps) {
  const { field, label, value, onChange, readOnly, error } = props;
  const options = field.meta?.options;
  const min = numberOption(options, 'minValue') ?? 0;
  const max = numberOption(options, 'maxValue') ?? 100;
  const step = numberOption(options, 'stepInterval') ?? 1;
  const isText = field.type === 'decimal' || field.type === 'bigInteger';
  const number = Number(value ?? min);
  const change = (next: number) => onChange(isText ? String(next) : next);
  return (
    <ControlFrame {...props}>
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 2, ps: 1 }}>
        <Slider
          aria-label={label}
          disabled={readOnly}
          value={Number.isFinite(number) ? number : min}
          min={min}
          max={max}
          step={step}
          valueLabelDisplay="auto"
          onChange={(_, next) => change(Array.isArray(next) ? (next[0] ?? min) : next)}
          sx={{ mx: 1 }}
        />
        <TextField
          value={value === null || value === undefined ? '' : String(value)}
          onChange={({ target }) => {
            const typed = Number(target.value);
            if (target.value === '') onChange(null);
            else if (Number.isFinite(typed)) change(typed);
          }}
          error={error !== null}
          sx={{ width: 110, flexShrink: 0 }}
          slotProps={{
            input: { readOnly },
            htmlInput: { 'aria-label': label, inputMode: 'decimal' },
          }}
        />
      </Box>
    </ControlFrame>
  );
}
