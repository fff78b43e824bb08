/** The choice of a type, with what the type is for. */
import { NativeSelect } from '../shell/native-select.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { ChoiceOptions, type ControlChoice } from './control.tsx';
import { typeKey } from './field-types.ts';

export interface TypeChoiceProps {
  readonly value: string;
  readonly choices: readonly ControlChoice[];
  readonly disabled: boolean;
  readonly onChange: (type: string) => void;
}

export function TypeChoice({ value, choices, disabled, onChange }: TypeChoiceProps) {
  const translate = useTranslate();
  return (
    <NativeSelect
      label={translate('model.member.type')}
      value={value}
      disabled={disabled}
      onChange={({ target }) => onChange(target.value)}
      helperText={translate(typeKey(value).replace('.type.', '.typeHelp.'), { _: ' ' })}
    >
      <ChoiceOptions choices={choices} />
    </NativeSelect>
  );
}
