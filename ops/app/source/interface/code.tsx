/** Source text, with the Tab key as it is: it leads on, so that the keyboard is never caught. */
import { textOption } from '../data/values.ts';
import { FieldText } from './field-text.tsx';
import type { InterfaceProps } from './interface.ts';

export function CodeInterface(props: InterfaceProps) {
  const { field, value, onChange } = props;
  return (
    <FieldText
      of={props}
      text={value === null || value === undefined ? '' : String(value)}
      onText={(text) => onChange(text === '' && field.schema?.is_nullable !== false ? null : text)}
      placeholder={textOption(field.meta?.options, 'template') ?? undefined}
      multiline
      minRows={4}
      maxRows={30}
      slotProps={{
        htmlInput: {
          spellCheck: false,
          autoCapitalize: 'off',
          dir: 'ltr',
          style: { fontFamily: 'monospace', fontSize: 13, whiteSpace: 'pre', overflowX: 'auto' },
        },
      }}
    />
  );
}
