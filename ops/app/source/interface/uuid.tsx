/** A UUID, typed, pasted or made. */
import IconButton from '@mui/material/IconButton';
import InputAdornment from '@mui/material/InputAdornment';
import Tooltip from '@mui/material/Tooltip';
import { Icon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { FieldText } from './field-text.tsx';
import type { InterfaceProps } from './interface.ts';

/** A random UUID; `randomUUID` itself is missing on pages without TLS. */
function randomUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = [...bytes].map((byte, index) => {
    const marked = index === 6 ? (byte & 15) | 64 : index === 8 ? (byte & 63) | 128 : byte;
    return marked.toString(16).padStart(2, '0');
  });
  return hex.join('').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

export function UuidInterface(props: InterfaceProps) {
  const { value, onChange, readOnly, label } = props;
  const translate = useTranslate();
  return (
    <FieldText
      of={props}
      text={value === null || value === undefined ? '' : String(value)}
      onText={(text) => onChange(text.trim() === '' ? null : text.trim())}
      slotProps={{
        htmlInput: {
          dir: 'ltr',
          spellCheck: false,
          style: { fontFamily: 'monospace', fontSize: 13 },
        },
        input: {
          endAdornment: readOnly ? undefined : (
            <InputAdornment position="end">
              <Tooltip title={translate('interface.makeUuid')}>
                <IconButton
                  size="small"
                  aria-label={translate('interface.makeUuidOf', { name: label })}
                  onClick={() => onChange(randomUuid())}
                >
                  <Icon name="refresh" fontSize="small" />
                </IconButton>
              </Tooltip>
            </InputAdornment>
          ),
        },
      }}
    />
  );
}
