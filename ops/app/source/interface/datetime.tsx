/**
 * Dates and times, by the control of the browser. A `timestamp` is shown in the time zone of the user;
 * what no calendar has (`infinity`, years before Christ) is a text.
 */
import IconButton from '@mui/material/IconButton';
import InputAdornment from '@mui/material/InputAdornment';
import Tooltip from '@mui/material/Tooltip';
import { useZone } from '../data/use-zone.ts';
import { momentAt, wallTime } from '../data/zone.ts';
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

/** The value as the control of the browser takes it. */
function toInput(type: string, value: string, zone: string): string {
  return type === 'timestamp' && value !== '' ? wallTime(new Date(value), zone) : value;
}

/** What the control gives, as the API takes it. */
function fromInput(type: string, text: string, zone: string): string | null {
  if (text === '') return null;
  if (type === 'date') return text;
  const whole = /:\d\d:\d\d/.test(text) || text.length === 8 ? text : `${text}:00`;
  if (type !== 'timestamp') return whole;
  const date = momentAt(whole, zone);
  return Number.isNaN(date.getTime()) ? text : date.toISOString();
}

/** This moment, in the form of the type. */
function now(type: string, zone: string): string {
  const local = wallTime(new Date(), zone);
  if (type === 'date') return local.slice(0, 10);
  if (type === 'time') return local.slice(11);
  return type === 'dateTime' ? local : new Date().toISOString();
}

export function DateTimeInterface(props: InterfaceProps) {
  const { field, value, onChange, readOnly } = props;
  const translate = useTranslate();
  const zone = useZone();
  const { type } = field;
  const text = value === null || value === undefined ? '' : String(value);
  const isStrange = text !== '' && FORMS[type]?.test(text) !== true;
  const shown = isStrange ? text : toInput(type, text, zone);
  const hasSeconds = field.meta?.options?.includeSeconds === true || /:\d\d:(?!00)\d\d/.test(shown);
  const input = hasSeconds || type === 'date' ? shown : shown.replace(/(:\d\d):\d\d$/, '$1');
  return (
    <FieldText
      of={props}
      text={isStrange ? text : input}
      onText={(typed) => onChange(isStrange ? typed || null : fromInput(type, typed, zone))}
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
                  onClick={() => onChange(now(type, zone))}
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
