/** Shows the value of a field as people read it: dates and numbers by their language, not raw. */
import Box from '@mui/material/Box';
import Chip from '@mui/material/Chip';
import type { Field } from '../data/schema-types.ts';
import { Icon } from '../theme/icon.tsx';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { choicesOf } from './choices.ts';
import { formatDate, formatNumber } from './format.ts';
import { StateChip } from './state-chip.tsx';

const DATES = new Set(['date', 'dateTime', 'timestamp', 'time']);
const NUMBERS = new Set(['integer', 'bigInteger', 'float', 'decimal']);
const COLOUR = /^#[0-9a-f]{3,8}$/i;
const MASK = '••••••••';

/** Nothing, said to screen readers, too. */
export function Nothing() {
  const translate = useTranslate();
  return (
    <Box
      component="span"
      sx={{ color: 'text.secondary' }}
      role="img"
      aria-label={translate('list.empty')}
    >
      —
    </Box>
  );
}

function Swatch({ colour }: { readonly colour: string }) {
  return (
    <Box component="span" sx={{ display: 'inline-flex', alignItems: 'center', gap: 1 }}>
      <Box
        component="span"
        style={{ backgroundColor: colour }}
        sx={{ width: 16, height: 16, borderRadius: '50%', border: 1, borderColor: 'divider' }}
      />
      {colour}
    </Box>
  );
}

function Code({ text }: { readonly text: string }) {
  return (
    <Box component="code" sx={{ fontSize: 12.5, color: 'text.secondary' }}>
      {text}
    </Box>
  );
}

export interface ValueProps {
  readonly field: Field;
  readonly value: unknown;
  /** The values of the field are a few states. */
  readonly isState?: boolean;
}

export function Value({ field, value, isState = false }: ValueProps) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const { type, meta } = field;
  if (value === null || value === undefined || value === '') return <Nothing />;
  const special = (meta?.special ?? '').split(',');
  if (type === 'hash' || special.includes('conceal')) return MASK;
  if (typeof value === 'boolean') {
    return (
      <Box
        component="span"
        sx={{ display: 'inline-flex', alignItems: 'center', gap: 0.75, verticalAlign: 'middle' }}
      >
        <Icon
          name={value ? 'check' : 'remove'}
          sx={{ fontSize: 18, color: value ? 'success.main' : 'text.secondary' }}
        />
        {translate(value ? 'list.yes' : 'list.no')}
      </Box>
    );
  }
  const choice = choicesOf(field).find((known) => String(known.value) === String(value));
  if (choice !== undefined) {
    return <StateChip text={choice.text} of={String(value)} />;
  }
  if (type === 'csv' || Array.isArray(value)) {
    const parts = Array.isArray(value) ? value : String(value).split(',');
    if (parts.every((part) => typeof part !== 'object')) {
      return (
        <Box component="span" sx={{ display: 'inline-flex', gap: 0.5 }}>
          {[...new Set(parts.map(String))].map((part) => (
            <Chip key={part} size="small" label={part} />
          ))}
        </Box>
      );
    }
  }
  if (typeof value === 'object') return <Code text={JSON.stringify(value)} />;
  if (DATES.has(type)) return formatDate(type, String(value), locale);
  if (NUMBERS.has(type)) return formatNumber(value, locale);
  const text = String(value);
  if (isState) return <StateChip text={text} />;
  if (COLOUR.test(text) && (meta?.interface === 'select-color' || meta?.display === 'color')) {
    return <Swatch colour={text} />;
  }
  return type === 'uuid' ? <Code text={text} /> : text;
}
