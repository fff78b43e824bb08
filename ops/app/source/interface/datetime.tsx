/**
 * Dates and times, by the control of the browser. A `timestamp` is shown in the zone of the device;
 * what no calendar has (`infinity`, years before Christ) is a text.
 */
import IconButton from '@mui/material/IconButton';
import InputAdornment from '@mui/material/InputAdornment';
import Tooltip from '@mui/material/Tooltip';
import { Icon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { FieldText } from './field-text.tsx';
import type { InterfaceProps } from './interface.ts';

const INPUTS: Readonly<Record<string, string>> = {
  date: 'date',
  time: 'time',
  dateTime: 'datetime-local',
  timestamp: 'datetime-local',
};

const FORMS: Readonly<Record<string, RegExp>> = {
  date: /^\d{4}-\d\d-\d\d$/,
  time: /^\d\d:\d\d(:\d\d)?$/,
  dateTime: /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/,
  timestamp: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)$/,
};

const two = (number: number) => String(number).padStart(2, '0');

function localText(date: Date): string {
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** The value as the control of the browser takes it. */
function toInput(type: string, value: string): string {
  return type === 'timestamp' && value !== '' ? localText(new Date(value)) : value;
}

/** What the control gives, as the API takes it. */
function fromInput(type: string, text: string): string | null {
  if (text === '') return null;
  if (type === 'date') return text;
  const whole = /:\d\d:\d\d/.test(text) || text.length === 8 ? text : `${text}:00`;
  if (type !== 'timestamp') return whole;
  const date = new Date(whole);
  return Number.isNaN(date.getTime()) ? text : date.toISOString();
}

/** This moment, in the form of the type. */
function now(type: string): string {
  const local = localText(new Date());
  if (type === 'date') return local.slice(0, 10);
  if (type === 'time') return local.slice(11);
  return type === 'dateTime' ? local : new Date().toISOString();
}

export function DateTimeInterface(props: InterfaceProps) {
  const { field, value, onChange, readOnly } = props;
  const translate = useTranslate();
  const { type } = field;
  const text = value === null || value === undefined ? '' : String(value);
  const isStrange = text !== '' && FORMS[type]?.test(text) !== true;
  const shown = isStrange ? text : toInput(type, text);
  const hasSeconds = field.meta?.options?.includeSeconds === true || /:\d\d:(?!00)\d\d/.test(shown);
  const input = hasSeconds || type === 'date' ? shown : shown.replace(/(:\d\d):\d\d$/, '$1');
  return (
    <FieldText
      of={props}
      text={isStrange ? text : input}
      onText={(typed) => onChange(isStrange ? typed || null : fromInput(type, typed))}
      type={isStrange ? 'text' : (INPUTS[type] ?? 'text')}
      slotProps={{
        inputLabel: { shrink: true },
        htmlInput: hasSeconds ? { step: 1 } : {},
        input: {
          endAdornment: readOnly ? undefined : (
            <InputAdornment position="end">
              <Tooltip title={translate('interface.now')}>
                <IconButton
                  size="small"
                  aria-label={translate('interface.nowOf', { name: props.label })}
                  onClick={() => onChange(now(type))}
                >
                  <Icon name="schedule" fontSize="small" />
                </IconButton>
              </Tooltip>
            </InputAdornment>
          ),
        },
      }}
    />
  );
}
