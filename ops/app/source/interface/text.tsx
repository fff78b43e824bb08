/** A field for text, numbers and keys, one line or many. Long numbers keep all their digits. */
import IconButton from '@mui/material/IconButton';
import InputAdornment from '@mui/material/InputAdornment';
import Tooltip from '@mui/material/Tooltip';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { useTyped, withComma, withPoint } from '../data/decimal.ts';
import { numberOption, textOption } from '../data/values.ts';
import { columnType } from '../display/column-type.ts';
import { useTextShape } from '../display/text-sample.ts';
import { isLine, isOneLine } from '../display/text-shape.ts';
import { isPercent } from '../display/value-kind.ts';
import { Icon, NamedIcon } from '../theme/icon.tsx';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { FieldText } from './field-text.tsx';
import type { InterfaceProps } from './interface.ts';

const NUMBERS = new Set(['integer', 'float']);
const NUMERIC = new Set(['integer', 'float', 'decimal', 'bigInteger']);
const TEXTS = new Set(['string', 'text']);
/** How values of types look that few people know by heart. */
const EXAMPLES: ReadonlyMap<string, string> = new Map([
  ['inet', '192.0.2.7'],
  ['cidr', '192.0.2.0/24'],
  ['macaddr', '08:00:2b:01:02:03'],
]);
const MONOSPACE = new Set(['uuid', 'binary', 'unknown']);
/** As JavaScript keeps it exactly. */
const NUMBER = /^\s*-?\d{1,15}(\.\d{1,15})?(e[+-]?\d{1,2})?\s*$/i;

/** What was typed, as the API takes it: what is no number stays a text, about which the server speaks. */
function parse(
  { field: { type, schema } }: InterfaceProps,
  typed: string,
  locale: string,
): unknown {
  const text = NUMERIC.has(type) ? withPoint(typed, locale) : typed;
  if (text === '') return TEXTS.has(type) && schema?.is_nullable === false ? '' : null;
  return NUMBERS.has(type) && NUMBER.test(text) ? Number(text) : text;
}

/** A value of any type, as it can be typed. */
function write(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function adornment(name: string | null) {
  if (name === null) return undefined;
  return (
    <InputAdornment position="start">
      <NamedIcon name={name} fallback="label" fontSize="small" />
    </InputAdornment>
  );
}

/** Says that a text without characters is stored, which is not the same as none, and leads to none. */
function EmptyText({ label, onClear }: { readonly label: string; readonly onClear: () => void }) {
  const translate = useTranslate();
  const name = translate('interface.clearOf', { name: label });
  return (
    <InputAdornment position="end">
      <Typography variant="body2" color="textSecondary" sx={{ fontStyle: 'italic' }}>
        {translate('list.emptyText')}
      </Typography>
      <Tooltip title={translate('interface.setNull')}>
        <IconButton size="small" edge="end" aria-label={name} onClick={onClear}>
          <Icon name="close" fontSize="small" />
        </IconButton>
      </Tooltip>
    </InputAdornment>
  );
}

/**
 * Whether a text gets several lines: as its interface says; without one where it, or the texts of
 * other items, need them.
 */
function useMultiline({ field }: InterfaceProps, text: string): boolean {
  const { type, meta } = field;
  const isOpen = type === 'text' && !meta?.interface;
  const shape = useTextShape(field, isOpen);
  const [opened] = useState(text);
  if (meta?.interface)
    return meta.interface === 'input-multiline' || (type === 'text' && meta.interface !== 'input');
  if (!isOpen) return false;
  return !isLine(opened) || (shape !== null && !isOneLine(field, shape));
}

export function TextInterface(props: InterfaceProps) {
  const { field, value, onChange } = props;
  const { type, meta } = field;
  const options = meta?.options;
  const multiline = useMultiline(props, write(value));
  const isNumeric = NUMERIC.has(type);
  const soft = numberOption(options, 'softLength');
  const [locale] = useLocaleState();
  const read = (typed: string) => parse(props, typed, locale);
  const written = isNumeric ? withComma(write(value), locale) : write(value);
  const { text, setTyped } = useTyped(value, written, read);
  const trims = options?.trim === true;
  const monospace = MONOSPACE.has(type) || textOption(options, 'font') === 'monospace';
  const isEmptyText = value === '' && field.schema?.is_nullable === true && !props.readOnly;
  const end =
    soft !== null ? (
      <InputAdornment position="end">{soft - text.length}</InputAdornment>
    ) : isEmptyText ? (
      <EmptyText label={props.label} onClear={() => onChange(null)} />
    ) : isNumeric && isPercent(field) ? (
      <InputAdornment position="end">%</InputAdornment>
    ) : undefined;
  return (
    <FieldText
      of={props}
      text={text}
      onText={(typed) => {
        setTyped(typed);
        onChange(read(typed));
      }}
      onBlur={() => trims && text !== text.trim() && onChange(read(text.trim()))}
      placeholder={textOption(options, 'placeholder') ?? EXAMPLES.get(columnType(field))}
      multiline={multiline}
      minRows={multiline ? 3 : undefined}
      maxRows={multiline ? 24 : undefined}
      type={options?.masked === true ? 'password' : 'text'}
      slotProps={{
        input: {
          startAdornment: adornment(textOption(options, 'iconLeft')),
          endAdornment: end,
        },
        htmlInput: {
          ...(isNumeric && { inputMode: 'decimal', dir: 'ltr' }),
          ...(!isNumeric && { dir: 'auto' }),
          ...(monospace && { style: { fontFamily: 'monospace', fontSize: 13 }, dir: 'ltr' }),
          ...(options?.masked === true && { autoComplete: 'new-password' }),
        },
      }}
    />
  );
}
