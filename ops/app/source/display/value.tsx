/** Shows the value of a field as people read it: dates and numbers by their language, not raw. */
import Box from '@mui/material/Box';
import Chip from '@mui/material/Chip';
import type { MouseEvent } from 'react';
import type { Field } from '../data/schema-types.ts';
import { Icon } from '../theme/icon.tsx';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { choicesOf } from './choices.ts';
import { columnType } from './column-type.ts';
import { formatNumber } from './format.ts';
import { tellDuration } from './interval-value.ts';
import { StateChip } from './state-chip.tsx';
import { useFormatDate } from './use-format-date.ts';
import { isPercent, relativeTime, valueKind } from './value-kind.ts';

const DATES = new Set(['date', 'dateTime', 'timestamp', 'time']);
const NUMBERS = new Set(['integer', 'bigInteger', 'float', 'decimal']);
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

/** A text without characters, which is not the same as none. */
function EmptyText() {
  const translate = useTranslate();
  return (
    <Box component="span" sx={{ color: 'text.secondary', fontStyle: 'italic', fontSize: 13 }}>
      {translate('list.emptyText')}
    </Box>
  );
}

/** A link out of the App, or to a mail; a click on it does nothing else. */
function OutLink({ to, text }: { readonly to: string; readonly text: string }) {
  return (
    <Box
      component="a"
      href={to}
      dir="ltr"
      onClick={(event: MouseEvent) => event.stopPropagation()}
      {...(!to.startsWith('mailto:') && { target: '_blank', rel: 'noopener noreferrer' })}
      sx={{ color: 'primary.main', textUnderlineOffset: '0.2em' }}
    >
      {text}
    </Box>
  );
}

/** A moment near to now by its distance; the exact one is its description. */
function Moment({ text }: { readonly text: string }) {
  const [locale] = useLocaleState();
  const formatDate = useFormatDate();
  const exact = formatDate('timestamp', text);
  const relative = relativeTime(text, new Date(), locale);
  if (relative === null) return exact;
  return (
    <time dateTime={text} title={exact}>
      {relative}
    </time>
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
  /** It stands in a link, and cannot be one itself. */
  readonly isLinked?: boolean;
  /** Moments near to now are told by their distance. */
  readonly isRelative?: boolean;
}

export function Value(props: ValueProps) {
  const { field, value, isState = false, isLinked = false, isRelative = false } = props;
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const formatDate = useFormatDate();
  const { type, meta } = field;
  if (value === null || value === undefined) return <Nothing />;
  if (value === '') return <EmptyText />;
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
  const text = String(value);
  if (type === 'timestamp' && isRelative) return <Moment text={text} />;
  if (DATES.has(type)) return formatDate(type, text);
  if (NUMBERS.has(type)) {
    const number = formatNumber(value, locale);
    return isPercent(field) ? `${number}\u202f%` : number;
  }
  if (columnType(field) === 'interval') return tellDuration(text, locale) ?? text;
  if (isState) return <StateChip text={text} />;
  const kind = valueKind(field, text);
  if (kind === 'colour') return <Swatch colour={text} />;
  if (kind !== null && !isLinked) {
    const to = kind === 'mail' ? `mailto:${encodeURIComponent(text)}` : text;
    return <OutLink to={to} text={text.replace(/^https?:\/\/(.*?)\/?$/i, '$1')} />;
  }
  return type === 'uuid' ? <Code text={text} /> : text;
}
