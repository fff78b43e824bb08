/** Several of some values, a box for each. Values that are none of them are kept and shown. */
import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import FormGroup from '@mui/material/FormGroup';
import { choicesOf } from '../display/choices.ts';
import { ControlFrame } from './control-frame.tsx';
import type { InterfaceProps } from './interface.ts';
import { entriesOf, listValue } from './list-value.ts';

export function CheckboxesInterface(props: InterfaceProps) {
  const { field, value, onChange, readOnly } = props;
  const entries = entriesOf(value);
  const choices = choicesOf(field);
  const known = new Set(choices.map((choice) => String(choice.value)));
  const others = entries.filter((entry) => !known.has(entry));
  const options = [...choices, ...others.map((text) => ({ text, value: text }))];
  const toggle = (text: string, checked: boolean) => {
    const chosen = options.filter((option) =>
      String(option.value) === text ? checked : entries.includes(String(option.value)),
    );
    onChange(
      listValue(
        field,
        chosen.map((option) => option.value),
      ),
    );
  };
  return (
    <ControlFrame {...props}>
      <FormGroup>
        {options.map(({ text, value: option }) => (
          <FormControlLabel
            key={String(option)}
            disabled={readOnly}
            label={text}
            control={
              <Checkbox
                size="small"
                sx={{ py: 0.5 }}
                checked={entries.includes(String(option))}
                onChange={(_, checked) => toggle(String(option), checked)}
              />
            }
          />
        ))}
      </FormGroup>
    </ControlFrame>
  );
}
