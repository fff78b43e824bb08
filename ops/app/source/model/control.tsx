/** The controls of the forms of the data model: each is described, and drawn here. */
import Box from '@mui/material/Box';
import FormControl from '@mui/material/FormControl';
import FormControlLabel from '@mui/material/FormControlLabel';
import FormHelperText from '@mui/material/FormHelperText';
import Switch from '@mui/material/Switch';
import TextField from '@mui/material/TextField';
import { useId } from 'react';
import type { Item } from '../data/schema-types.ts';
import { FieldInterface } from '../interface/field-interface.tsx';
import { NativeSelect } from '../shell/native-select.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { plainField } from './plain-field.ts';

export interface ControlChoice {
  readonly value: string;
  readonly text: string;
  /** The heading under which it stands. */
  readonly group?: string;
}

export interface ControlSpec {
  readonly name: string;
  /** `field`: the interface that a field of `type` would have in a form. */
  readonly kind: 'text' | 'multiline' | 'number' | 'switch' | 'choice' | 'field';
  /** Of `choice`; the empty value stands for none. */
  readonly choices?: readonly ControlChoice[];
  readonly type?: string;
  readonly interface?: string;
  readonly options?: Item;
  /** Takes the whole width. */
  readonly wide?: boolean;
  readonly required?: boolean;
  readonly disabled?: boolean;
  /** Keys of its name and of what it means; the name is found by the name of the member when missing. */
  readonly label?: string;
  readonly help?: string;
}

export interface ControlProps {
  readonly spec: ControlSpec;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly error?: string | null;
}

export function ChoiceOptions({ choices }: { readonly choices: readonly ControlChoice[] }) {
  const groups = Map.groupBy(choices, ({ group }) => group ?? '');
  return [...groups].map(([group, members]) => {
    const options = members.map(({ value, text }) => (
      <option key={value} value={value}>
        {text}
      </option>
    ));
    return group === '' ? (
      options
    ) : (
      <optgroup key={group} label={group}>
        {options}
      </optgroup>
    );
  });
}

function SwitchControl({ label, help, spec, value, onChange }: ControlProps & Texts) {
  const id = useId();
  return (
    <FormControl>
      <FormControlLabel
        control={
          <Switch
            checked={value === true}
            disabled={spec.disabled === true}
            onChange={(_, checked) => onChange(checked)}
            slotProps={{ input: { 'aria-describedby': help ? id : undefined } }}
          />
        }
        label={label}
        slotProps={{ typography: { variant: 'body2' } }}
      />
      {help && (
        <FormHelperText id={id} sx={{ mt: -0.5, mx: 0, paddingInlineStart: '47px' }}>
          {help}
        </FormHelperText>
      )}
    </FormControl>
  );
}

interface Texts {
  readonly label: string;
  readonly help: string | undefined;
}

/** What was typed as a number; what is none stays a text, about which the server speaks. */
function numberOf(text: string): unknown {
  if (text.trim() === '') return null;
  const number = Number(text);
  return Number.isFinite(number) ? number : text;
}

export function Control(props: ControlProps) {
  const { spec, value, onChange, error = null } = props;
  const translate = useTranslate();
  const label = translate(spec.label ?? `model.member.${spec.name}`);
  const help = spec.help === undefined ? undefined : translate(spec.help);
  const text = value === null || value === undefined ? '' : String(value);
  if (spec.kind === 'switch') return <SwitchControl {...props} label={label} help={help} />;
  if (spec.kind === 'field') {
    return (
      <FieldInterface
        field={plainField(spec, help ?? null)}
        label={label}
        value={value}
        onChange={(next) => onChange(next ?? null)}
        readOnly={spec.disabled === true}
        required={spec.required === true}
        error={error}
      />
    );
  }
  const common = {
    label,
    value: text,
    required: spec.required === true,
    disabled: spec.disabled === true,
    error: error !== null,
    helperText: error ?? help,
  };
  if (spec.kind === 'choice') {
    return (
      <NativeSelect
        {...common}
        onChange={({ target }) => onChange(target.value === '' ? null : target.value)}
      >
        <ChoiceOptions choices={spec.choices ?? []} />
      </NativeSelect>
    );
  }
  const isNumber = spec.kind === 'number';
  return (
    <TextField
      {...common}
      multiline={spec.kind === 'multiline'}
      {...(spec.kind === 'multiline' && { minRows: 2 })}
      onChange={({ target }) =>
        onChange(isNumber ? numberOf(target.value) : target.value === '' ? null : target.value)
      }
      slotProps={{ htmlInput: isNumber ? { inputMode: 'numeric', dir: 'ltr' } : { dir: 'auto' } }}
    />
  );
}

export const TWO_COLUMNS = {
  display: 'grid',
  gridTemplateColumns: { xs: 'minmax(0, 1fr)', sm: 'repeat(2, minmax(0, 1fr))' },
  gap: 2,
  alignItems: 'start',
} as const;

export interface ControlsProps {
  readonly specs: readonly ControlSpec[];
  readonly values: Item;
  readonly onChange: (name: string, value: unknown) => void;
  readonly errors?: Readonly<Record<string, string>>;
}

/** Controls in two columns. */
export function Controls({ specs, values, onChange, errors = {} }: ControlsProps) {
  return (
    <Box sx={TWO_COLUMNS}>
      {specs.map((spec) => (
        <Box key={spec.name} sx={{ minWidth: 0, ...(spec.wide && { gridColumn: '1 / -1' }) }}>
          <Control
            spec={spec}
            value={values[spec.name]}
            onChange={(value) => onChange(spec.name, value)}
            error={errors[spec.name] ?? null}
          />
        </Box>
      ))}
    </Box>
  );
}
