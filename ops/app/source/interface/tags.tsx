/** A list of words, typed or chosen. */
import Autocomplete from '@mui/material/Autocomplete';
import TextField from '@mui/material/TextField';
import { useSame } from '../data/use-same.ts';
import { choicesOf } from '../display/choices.ts';
import { useTranslate } from '../translation/use-translate.ts';
import type { InterfaceProps } from './interface.ts';
import { entriesOf, listValue } from './list-value.ts';
import { noteOf } from './note.ts';

function presetsOf(props: InterfaceProps): readonly string[] {
  const presets = props.field.meta?.options?.presets;
  if (Array.isArray(presets)) return presets.map(String);
  return choicesOf(props.field).map(({ value }) => String(value));
}

export function TagsInterface(props: InterfaceProps) {
  const { field, label, value, onChange, readOnly, required, error } = props;
  const translate = useTranslate();
  const presets = presetsOf(props);
  const entries = useSame([...entriesOf(value)]);
  const free = field.meta?.options?.allowCustom !== false || presets.length === 0;
  const clean = (typed: readonly string[]) => [
    // A comma parts entries, wherever it comes from.
    ...new Set(typed.flatMap((entry) => entry.split(',')).map((entry) => entry.trim())),
  ];
  return (
    <Autocomplete<string, true, false, boolean>
      multiple
      freeSolo={free}
      autoSelect={free}
      autoHighlight={!free}
      filterSelectedOptions
      readOnly={readOnly}
      options={presets}
      value={entries}
      onChange={(_, next) => onChange(listValue(field, clean(next).filter(Boolean)))}
      renderInput={(params) => (
        <TextField
          {...params}
          label={label}
          required={required}
          error={error !== null}
          helperText={error ?? noteOf(field) ?? (free ? translate('interface.tagsHelp') : null)}
        />
      )}
    />
  );
}
