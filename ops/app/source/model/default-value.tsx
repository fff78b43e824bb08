/** What a column holds when an item says nothing: nothing, a value, or what the database makes. */
import Box from '@mui/material/Box';
import { useState } from 'react';
import { FieldInterface } from '../interface/field-interface.tsx';
import { NativeSelect } from '../shell/native-select.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { TWO_COLUMNS } from './control.tsx';
import type { FieldDraft } from './field-draft.ts';
import { plainField } from './plain-field.ts';

const NOW = new Set(['date', 'time', 'dateTime', 'timestamp']);
/** No default is a secret, and bytes are no text. */
const WITHOUT = new Set(['hash', 'binary', 'alias']);

function madeBy(type: string): string | null {
  if (NOW.has(type)) return 'CURRENT_TIMESTAMP';
  return type === 'uuid' ? 'gen_random_uuid()' : null;
}

type Kind = 'none' | 'value' | 'made';

function kindOf(value: unknown): Kind {
  if (value === null || value === undefined) return 'none';
  const isCall =
    typeof value === 'string' && /^(now\(\)|current_timestamp|gen_random_uuid)/i.test(value);
  return isCall ? 'made' : 'value';
}

export interface DefaultValueProps {
  readonly draft: FieldDraft;
  readonly onChange: (value: unknown) => void;
}

export function DefaultValue({ draft, onChange }: DefaultValueProps) {
  const translate = useTranslate();
  const value = draft.schema.default_value;
  const { type } = draft;
  const [kind, setKind] = useState<Kind>(kindOf(value));
  if (WITHOUT.has(type) || type.startsWith('geometry')) return null;
  const made = madeBy(type);
  const choose = (next: string) => {
    if (next !== 'none' && next !== 'value' && next !== 'made') return;
    setKind(next);
    onChange(next === 'made' ? made : next === 'value' && type === 'boolean' ? false : null);
  };
  const kinds: readonly Kind[] = ['none', 'value', ...(made === null ? [] : (['made'] as const))];
  return (
    <Box sx={TWO_COLUMNS}>
      <NativeSelect
        label={translate('model.member.default_value')}
        value={kind}
        onChange={({ target }) => choose(target.value)}
      >
        {kinds.map((one) => (
          <option key={one} value={one}>
            {translate(
              `model.default_${one === 'made' ? (type === 'uuid' ? 'uuid' : 'now') : one}`,
            )}
          </option>
        ))}
      </NativeSelect>
      {kind === 'value' && (
        <FieldInterface
          field={plainField({ name: 'default_value', type }, null)}
          label={translate('model.value')}
          value={value}
          onChange={(next) => onChange(next ?? null)}
          readOnly={false}
          required={false}
          error={null}
        />
      )}
    </Box>
  );
}
