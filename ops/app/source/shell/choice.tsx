/** A choice among a few, as the control of the browser. */
import { NativeSelect } from './native-select.tsx';

export interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly (readonly [value: Value, text: string])[];
  readonly onChange: (value: Value) => void;
  readonly help?: string;
}

export function Choice<Value extends string>(props: ChoiceProps<Value>) {
  const { label, value, options, onChange, help } = props;
  return (
    <NativeSelect
      label={label}
      value={value}
      helperText={help}
      onChange={({ target }) => {
        const chosen = options.find(([option]) => option === target.value);
        if (chosen !== undefined) onChange(chosen[0]);
      }}
    >
      {options.map(([option, text]) => (
        <option key={option} value={option}>
          {text}
        </option>
      ))}
    </NativeSelect>
  );
}
