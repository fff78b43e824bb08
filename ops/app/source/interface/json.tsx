/** A document as JSON text, or as a tree to read; what cannot be parsed is not sent, and said. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useState } from 'react';
import { useTranslate } from '../translation/use-translate.ts';
import { ControlFrame } from './control-frame.tsx';
import { FieldText } from './field-text.tsx';
import type { InterfaceProps } from './interface.ts';
import { JsonTree } from './json-tree.tsx';

function write(value: unknown): string {
  return value === null || value === undefined ? '' : JSON.stringify(value, null, 2);
}

export function JsonInterface(props: InterfaceProps) {
  const { value, onChange, readOnly } = props;
  const translate = useTranslate();
  const [typed, setTyped] = useState<string | null>(null);
  const [shown, setShown] = useState<'tree' | 'text' | null>(null);
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
  const hasParts = typeof value === 'object' && value !== null;
  const isTree = hasParts && (shown ?? (readOnly ? 'tree' : 'text')) === 'tree';
  const choice = hasParts && !broken && (
    <Button size="small" color="inherit" onClick={() => setShown(isTree ? 'text' : 'tree')}>
      {translate(isTree ? 'interface.json' : 'interface.tree')}
    </Button>
  );
  if (isTree) {
    return (
      <ControlFrame {...props} actions={choice}>
        <JsonTree value={value} />
      </ControlFrame>
    );
  }
  const text = (
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
  return (
    <Box>
      {text}
      {choice}
    </Box>
  );
}
