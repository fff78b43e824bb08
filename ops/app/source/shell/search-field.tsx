/** A field for a search, which begins shortly after the last key. */
import InputAdornment from '@mui/material/InputAdornment';
import TextField from '@mui/material/TextField';
import { useEffect, useState } from 'react';
import { Icon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';

export interface SearchFieldProps {
  /** The search that holds. */
  readonly value: string;
  readonly onChange: (search: string) => void;
  /** What the field is called, where several stand on a screen. */
  readonly label?: string;
}

/** How long after the last key a search begins. */
const PAUSE = 250;

export function SearchField({ value, onChange, label }: SearchFieldProps) {
  const translate = useTranslate();
  const [typed, setTyped] = useState(value);
  // Blanks at the ends are no other search, and stay for what is typed next.
  useEffect(() => setTyped((own) => (own.trim() === value ? own : value)), [value]);
  useEffect(() => {
    const text = typed.trim();
    if (text === value) return;
    const timer = setTimeout(() => onChange(text), PAUSE);
    return () => clearTimeout(timer);
  }, [typed, value, onChange]);
  return (
    <TextField
      type="search"
      value={typed}
      onChange={({ target }) => setTyped(target.value)}
      // In a form, the key that begins a search at once does not save.
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return;
        event.preventDefault();
        if (typed.trim() !== value) onChange(typed.trim());
      }}
      placeholder={translate('list.search')}
      sx={{ maxWidth: { sm: 180 }, bgcolor: 'background.paper' }}
      slotProps={{
        htmlInput: { 'aria-label': label ?? translate('list.search') },
        input: {
          startAdornment: (
            <InputAdornment position="start">
              <Icon name="search" fontSize="small" />
            </InputAdornment>
          ),
        },
      }}
    />
  );
}
