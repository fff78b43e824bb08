/** A colour: chosen from presets, by the control of the browser, or typed. */
import Box from '@mui/material/Box';
import ButtonBase from '@mui/material/ButtonBase';
import InputAdornment from '@mui/material/InputAdornment';
import { isItem } from '../data/values.ts';
import { useTranslate } from '../translation/use-translate.ts';
import { FieldText } from './field-text.tsx';
import type { InterfaceProps } from './interface.ts';

const COLOUR = /^#[0-9a-f]{6}$/i;

interface Preset {
  readonly name: string;
  readonly color: string;
}

function presetsOf({ field }: InterfaceProps): readonly Preset[] {
  const presets = field.meta?.options?.presets;
  if (!Array.isArray(presets)) return [];
  return presets.filter(isItem).map(({ name, color }) => ({
    name: String(name ?? color),
    color: String(color),
  }));
}

export function ColorInterface(props: InterfaceProps) {
  const { value, onChange, readOnly, label } = props;
  const translate = useTranslate();
  const text = value === null || value === undefined ? '' : String(value);
  const presets = presetsOf(props);
  return (
    <Box>
      <FieldText
        of={props}
        text={text}
        onText={(typed) => onChange(typed === '' ? null : typed)}
        slotProps={{
          htmlInput: { dir: 'ltr', spellCheck: false },
          input: {
            startAdornment: (
              <InputAdornment position="start">
                <Box
                  component="input"
                  type="color"
                  disabled={readOnly}
                  aria-label={translate('interface.pickColour', { name: label })}
                  value={COLOUR.test(text) ? text : '#000000'}
                  onChange={({ target }) => onChange(target.value)}
                  sx={{ width: 28, height: 24, p: 0, border: 0, bgcolor: 'transparent' }}
                />
              </InputAdornment>
            ),
          },
        }}
      />
      {presets.length > 0 && !readOnly && (
        <Box sx={{ display: 'flex', gap: 0.75, flexWrap: 'wrap', mt: 1 }}>
          {presets.map(({ name, color }) => (
            <ButtonBase
              key={color}
              aria-label={name}
              onClick={() => onChange(color)}
              style={{ backgroundColor: color }}
              sx={{ width: 24, height: 24, borderRadius: '50%', border: 1, borderColor: 'divider' }}
            />
          ))}
        </Box>
      )}
    </Box>
  );
}
