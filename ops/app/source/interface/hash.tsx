/** A secret: only a new one can be typed, as nobody reads the one that is stored. */
import IconButton from '@mui/material/IconButton';
import InputAdornment from '@mui/material/InputAdornment';
import { useState } from 'react';
import { textOption } from '../data/values.ts';
import { Icon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { FieldText } from './field-text.tsx';
import type { InterfaceProps } from './interface.ts';

const MASK = /^\*+$/;

export function HashInterface(props: InterfaceProps) {
  const { field, value, onChange, readOnly } = props;
  const translate = useTranslate();
  const [stored] = useState(() => (typeof value === 'string' && value !== '' ? value : null));
  const [shown, setShown] = useState(false);
  const isStored = stored !== null && (value === stored || MASK.test(String(value)));
  const placeholder = textOption(field.meta?.options, 'placeholder');
  return (
    <FieldText
      of={props}
      text={isStored || value === null || value === undefined ? '' : String(value)}
      onText={(text) => onChange(text === '' ? undefined : text)}
      type={shown ? 'text' : 'password'}
      placeholder={isStored ? translate('interface.secretIsSet') : (placeholder ?? undefined)}
      slotProps={{
        inputLabel: { shrink: isStored || undefined },
        htmlInput: { autoComplete: 'new-password', dir: 'ltr' },
        input: {
          endAdornment: readOnly ? undefined : (
            <InputAdornment position="end">
              <IconButton
                size="small"
                aria-label={translate(shown ? 'interface.hideSecret' : 'interface.showSecret')}
                onClick={() => setShown(!shown)}
              >
                <Icon name={shown ? 'visibility_off' : 'visibility'} fontSize="small" />
              </IconButton>
            </InputAdornment>
          ),
        },
      }}
    />
  );
}
