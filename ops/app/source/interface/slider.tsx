/** A number between two ends, moved or typed. */
import Box from '@mui/material/Box';
import Slider from '@mui/material/Slider';
import TextField from '@mui/material/TextField';
import { useTyped, withComma, withPoint } from '../data/decimal.ts';
import { numberOption } from '../data/values.ts';
import { useLocaleState } from '../translation/use-translate.ts';
import { ControlFrame } from './control-frame.tsx';
import type { InterfaceProps } from './interface.ts';
import { unreadable } from './unreadable.ts';

/** Whether a typed value is none, or a number. */
const isNumber = (value: unknown) => value === null || Number.isFinite(Number(value));

export function SliderInterface(props: InterfaceProps) {
  const { field, label, value, onChange, readOnly, error } = props;
  const options = field.meta?.options;
  const min = numberOption(options, 'minValue') ?? 0;
  const max = numberOption(options, 'maxValue') ?? 100;
  const step = numberOption(options, 'stepInterval') ?? 1;
  const isText = field.type === 'decimal' || field.type === 'bigInteger';
  const number = Number(value ?? min);
  const change = (next: number) => onChange(isText ? String(next) : next);
  const [locale] = useLocaleState();
  const read = (text: string) => {
    const typed = Number(withPoint(text, locale));
    if (text.trim() === '') return null;
    return isText ? String(typed) : typed;
  };
  const stored = value === null || value === undefined ? '' : String(value);
  const { text, isHalf, setTyped } = useTyped(value, withComma(stored, locale), read, isNumber);
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
          value={text}
          onChange={({ target }) => {
            const next = read(target.value);
            setTyped(target.value);
            if (isNumber(next)) onChange(next);
          }}
          error={error !== null || isHalf}
          sx={{ width: 110, flexShrink: 0 }}
          slotProps={{
            input: { readOnly },
            htmlInput: { 'aria-label': label, inputMode: 'decimal', ...unreadable(isHalf) },
          }}
        />
      </Box>
    </ControlFrame>
  );
}
