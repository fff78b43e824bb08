/** A text, with the values that other items have in this field as suggestions. */
import Autocomplete from '@mui/material/Autocomplete';
import TextField from '@mui/material/TextField';
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import { client } from '../data/client.ts';
import { textOption } from '../data/values.ts';
import type { InterfaceProps } from './interface.ts';
import { noteOf } from './note.ts';

const AT_MOST = 20;

export function SuggestionInterface(props: InterfaceProps) {
  const { field, label, value, onChange, readOnly, required, error } = props;
  const text = value === null || value === undefined ? '' : String(value);
  const asked = useDeferredValue(text);
  const { collection, field: name } = field;
  const known = useQuery({
    queryKey: ['items', collection, 'suggestions', name, asked],
    queryFn: ({ signal }) =>
      client.items(collection).aggregate(
        {
          aggregate: { count: '*' },
          groupBy: [name],
          filter: asked === '' ? { [name]: { _nnull: true } } : { [name]: { _icontains: asked } },
          limit: AT_MOST,
        },
        { signal },
      ),
    enabled: !readOnly,
    placeholderData: (before) => before,
  });
  const options = (known.data ?? []).map((row) => String(row[name]));
  return (
    <Autocomplete
      freeSolo
      readOnly={readOnly}
      options={options}
      filterOptions={(all) => all}
      inputValue={text}
      onInputChange={(_, typed) => onChange(typed === '' ? null : typed)}
      renderInput={(params) => (
        <TextField
          {...params}
          label={label}
          required={required}
          error={error !== null}
          helperText={error ?? noteOf(field)}
          placeholder={textOption(field.meta?.options, 'placeholder') ?? undefined}
        />
      )}
    />
  );
}
