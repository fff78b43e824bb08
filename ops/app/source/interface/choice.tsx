/** One of some values: from a list that drops down, or as radio buttons. */
import Autocomplete from '@mui/material/Autocomplete';
import FormControlLabel from '@mui/material/FormControlLabel';
import Radio from '@mui/material/Radio';
import RadioGroup from '@mui/material/RadioGroup';
import TextField from '@mui/material/TextField';
import { useSame } from '../data/use-same.ts';
import { type Choice, choicesOf } from '../display/choices.ts';
import { ControlFrame } from './control-frame.tsx';
import type { InterfaceProps } from './interface.ts';
import { noteOf } from './note.ts';

/** The choices of a field; a value that is none of them stands at their end, so that it is kept. */
function withValue(choices: readonly Choice[], value: unknown): readonly Choice[] {
  if (value === null || value === undefined || value === '') return choices;
  if (choices.some((known) => String(known.value) === String(value))) return choices;
  return [...choices, { text: String(value), value: String(value) }];
}

/** The text that tells values apart. */
function textOf(option: Choice | string): string {
  return typeof option === 'string' ? option : String(option.value);
}

export function DropdownInterface(props: InterfaceProps) {
  const { field, label, value, onChange, readOnly, required, error } = props;
  const options = withValue(choicesOf(field), value);
  const chosen = useSame(options.find((known) => String(known.value) === String(value)) ?? null);
  const allowsOther = field.meta?.options?.allowOther === true;
  const pick = (picked: Choice | string | null) => {
    if (picked === null || picked === '') onChange(null);
    else onChange(typeof picked === 'string' ? picked : picked.value);
  };
  return (
    <Autocomplete<Choice, false, boolean, boolean>
      options={options}
      value={chosen}
      onChange={(_, picked) => pick(picked)}
      freeSolo={allowsOther}
      autoSelect={allowsOther}
      autoHighlight={!allowsOther}
      readOnly={readOnly}
      disableClearable={required && field.meta?.options?.allowNone !== true}
      getOptionLabel={(option) => (typeof option === 'string' ? option : option.text)}
      isOptionEqualToValue={(option, known) => textOf(option) === textOf(known)}
      renderInput={(params) => (
        <TextField
          {...params}
          label={label}
          required={required}
          error={error !== null}
          helperText={error ?? noteOf(field)}
        />
      )}
    />
  );
}

export function RadioInterface(props: InterfaceProps) {
  const { field, label, value, onChange, readOnly } = props;
  const options = withValue(choicesOf(field), value);
  return (
    <ControlFrame {...props}>
      <RadioGroup
        aria-label={label}
        value={value === null || value === undefined ? '' : String(value)}
        onChange={(_, text) =>
          onChange(options.find((known) => String(known.value) === text)?.value ?? text)
        }
      >
        {options.map((choice) => (
          <FormControlLabel
            key={String(choice.value)}
            value={String(choice.value)}
            disabled={readOnly}
            label={choice.text}
            control={<Radio size="small" sx={{ py: 0.5 }} />}
          />
        ))}
      </RadioGroup>
    </ControlFrame>
  );
}
