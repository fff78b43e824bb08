/** The name of an icon, chosen by its shape; a name that is not known here is kept. */
import Autocomplete from '@mui/material/Autocomplete';
import Box from '@mui/material/Box';
import InputAdornment from '@mui/material/InputAdornment';
import TextField from '@mui/material/TextField';
import { NamedIcon } from '../theme/icon.tsx';
import { ICONS } from '../theme/icon-paths.ts';
import type { InterfaceProps } from './interface.ts';
import { noteOf } from './note.ts';

const NAMES = Object.keys(ICONS);

export function IconInterface(props: InterfaceProps) {
  const { field, label, value, onChange, readOnly, required, error } = props;
  const name = value === null || value === undefined || value === '' ? null : String(value);
  return (
    <Autocomplete
      freeSolo
      autoSelect
      readOnly={readOnly}
      options={NAMES}
      value={name}
      onChange={(_, picked) => onChange(picked === '' ? null : picked)}
      renderOption={({ key, ...item }, option) => (
        <Box component="li" key={key} {...item} sx={{ gap: 1.5 }}>
          <NamedIcon name={option} fallback="label" fontSize="small" />
          {option}
        </Box>
      )}
      renderInput={(params) => (
        <TextField
          {...params}
          label={label}
          required={required}
          error={error !== null}
          helperText={error ?? noteOf(field)}
          slotProps={{
            ...params.slotProps,
            input: {
              ...params.slotProps.input,
              startAdornment: name !== null && (
                <InputAdornment position="start">
                  <NamedIcon name={name} fallback="label" fontSize="small" />
                </InputAdornment>
              ),
            },
          }}
        />
      )}
    />
  );
}
