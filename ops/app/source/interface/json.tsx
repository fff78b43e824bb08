/** A document as JSON text; what cannot be parsed is not sent, and said. */

import { useState } from 'react';
import { useTranslate } from '../translation/use-translate.ts';
import { FieldText } from './field-text.tsx';
import type { InterfaceProps } from './interface.ts';

function write(value: unknown): string {
  return value === null || value === undefined ? '' : JSON.stringify(value, null, 2);
}

export function JsonInterface(props: InterfaceProps) {
  const { value, onChange } = props;
  const translate = useTranslate();
  const [typed, setTyped] = useState<string | null>(null);
  const [broken, setBroken] = useState(false);
  const change = (text: string) => {
    setTyped(text);
    try {
      onChange(text.trim() === '' ? null : JSON.parse(text));
      setBroken(false);
    } catch {
      setBroken(true);
    }
  };
  return (
    <FieldText
      of={props}
      text={typed ?? write(value)}
      onText={change}
      onBlur={() => !broken && setTyped(null)}
      fault={broken ? translate('form.noJson') : null}
      multiline
      minRows={3}
      maxRows={24}
      slotProps={{
        htmlInput: {
          spellCheck: false,
          dir: 'ltr',
          style: { fontFamily: 'monospace', fontSize: 13 },
        },
      }}
    />
  );
}
