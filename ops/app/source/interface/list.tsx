/** The entries of an array: typed one after the other, pasted several at once, taken out by Backspace. */
import Autocomplete from '@mui/material/Autocomplete';
import Chip from '@mui/material/Chip';
import TextField from '@mui/material/TextField';
import { type ClipboardEvent, useState } from 'react';
import { useSame } from '../data/use-same.ts';
import { hasNumericEntries } from '../display/column-type.ts';
import { useTranslate } from '../translation/use-translate.ts';
import type { InterfaceProps } from './interface.ts';
import { JsonInterface } from './json.tsx';
import { splitEntries, toEntry } from './list-entries.ts';
import { noteOf } from './note.ts';

type Entry = string | number | boolean | null;

function isEntry(value: unknown): value is Entry {
  return value === null || typeof value !== 'object';
}

/** The entries of a list without lists in it; null for any other value. */
function entriesOf(value: unknown): readonly Entry[] | null {
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) return null;
  const entries: unknown[] = value;
  return entries.every(isEntry) ? entries : null;
}

export function ListInterface(props: InterfaceProps) {
  const { field, label, value, onChange, readOnly, required, error } = props;
  const translate = useTranslate();
  const [typed, setTyped] = useState('');
  const known = entriesOf(value);
  const entries = useSame([...(known ?? [])]);
  const isNumeric = hasNumericEntries(field);
  // A list that has been emptied is one without entries, which is not the same as none.
  const set = (next: readonly Entry[]) => onChange([...next]);
  const add = (texts: readonly string[]) => {
    if (texts.length > 0) set([...entries, ...texts.map((text) => toEntry(text, isNumeric))]);
    setTyped('');
  };
  if (known === null) return <JsonInterface {...props} />;
  const mayBeNull = field.schema?.is_nullable === true && !readOnly;
  const paste = (event: ClipboardEvent) => {
    const texts = splitEntries(event.clipboardData.getData('text'));
    if (texts.length < 2) return;
    event.preventDefault();
    add(texts);
  };
  return (
    <Autocomplete<Entry, true, false, true>
      multiple
      freeSolo
      readOnly={readOnly}
      disableClearable={false}
      options={[]}
      value={entries}
      inputValue={typed}
      onInputChange={(_, text, reason) => {
        if (reason !== 'input') return;
        if (text.includes(',')) add(splitEntries(text));
        else setTyped(text);
      }}
      onBlur={() => add(splitEntries(typed))}
      onChange={(_, next, reason) => {
        if (reason === 'createOption') add(splitEntries(typed));
        // The cross takes the whole value away, Backspace an entry.
        else if (reason === 'clear') onChange(mayBeNull ? null : []);
        else set(next);
      }}
      renderValue={(shown, getItemProps) =>
        shown.map((entry, index) => {
          const { key, ...item } = getItemProps({ index });
          const text = entry === null ? translate('list.noValue') : String(entry);
          return <Chip key={key} size="small" label={text === '' ? '“”' : text} {...item} />;
        })
      }
      renderInput={(params) => (
        <TextField
          {...params}
          label={label}
          required={required}
          error={error !== null}
          placeholder={
            value === null || value === undefined
              ? translate('list.noValue')
              : entries.length === 0
                ? translate('interface.noEntries')
                : ''
          }
          helperText={error ?? noteOf(field) ?? translate('interface.listHelp')}
          onPaste={paste}
          slotProps={{
            ...params.slotProps,
            inputLabel: { ...params.slotProps.inputLabel, shrink: true },
          }}
        />
      )}
    />
  );
}
