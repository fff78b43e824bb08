/** What an operator compares with: one value, two, or a list, typed as the field is. */
import Autocomplete from '@mui/material/Autocomplete';
import TextField from '@mui/material/TextField';
import { useContext } from 'react';
import { useTyped, withPoint } from '../data/decimal.ts';
import type { Field } from '../data/schema-types.ts';
import { useZone } from '../data/use-zone.ts';
import { momentAt, wallTime } from '../data/zone.ts';
import { choicesOf } from '../display/choices.ts';
import { ItemPicker } from '../display/item-picker.tsx';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import type { Operand } from './operators.ts';
import { MoreVariablesContext, PurposeContext } from './purpose.ts';
import { isVariable, variableName, variablesFor } from './variables.ts';

export interface ValueEditorProps {
  readonly field: Field;
  readonly type: string;
  /** The collection whose items are compared with, by their keys. */
  readonly related: string | null;
  readonly operand: Operand;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

const INPUT_TYPES: Readonly<Record<string, string>> = {
  date: 'date',
  time: 'time',
  dateTime: 'datetime-local',
  timestamp: 'datetime-local',
};
const NUMERIC = new Set(['integer', 'bigInteger', 'decimal', 'float']);
const BOX = { minWidth: 140, flex: '2 1 180px' } as const;

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A moment as the control of the browser writes it, in the time zone of the user. */
function toLocal(text: string, zone: string): string {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? text : wallTime(date, zone).slice(0, 16);
}

interface OneValueProps extends Omit<ValueEditorProps, 'operand'> {
  readonly label: string;
}

function OneValue({ field, type, related, value, onChange, label }: OneValueProps) {
  const translate = useTranslate();
  const choices = choicesOf(field);
  const zone = useZone();
  const [locale] = useLocaleState();
  const text = value === null || value === undefined ? '' : String(value);
  const read = (entered: string) => (NUMERIC.has(type) ? withPoint(entered, locale) : entered);
  const typed = useTyped(text, text, read);
  if (related !== null) {
    return (
      <ItemPicker collection={related} value={value} onChange={onChange} label={label} sx={BOX} />
    );
  }
  if (type === 'boolean' || choices.length > 0) {
    const options =
      type === 'boolean'
        ? [
            { text: translate('list.yes'), value: true },
            { text: translate('list.no'), value: false },
          ]
        : choices;
    return (
      <TextField
        select
        value={text}
        onChange={({ target }) =>
          onChange(options.find((option) => String(option.value) === target.value)?.value ?? null)
        }
        slotProps={{ select: { native: true }, htmlInput: { 'aria-label': label } }}
        sx={BOX}
      >
        <option value="">{translate('filter.chooseValue')}</option>
        {options.map((option) => (
          <option key={String(option.value)} value={String(option.value)}>
            {option.text}
          </option>
        ))}
      </TextField>
    );
  }
  const isMoment = type === 'timestamp';
  return (
    <TextField
      type={INPUT_TYPES[type] ?? 'text'}
      value={isMoment ? toLocal(text, zone) : typed.text}
      onChange={({ target }) => {
        const moment = isMoment && target.value !== '' ? momentAt(target.value, zone) : null;
        typed.setTyped(target.value);
        const isKnown = moment !== null && !Number.isNaN(moment.getTime());
        onChange(isKnown ? moment.toISOString() : read(target.value));
      }}
      placeholder={translate('filter.value')}
      slotProps={{ htmlInput: { 'aria-label': label } }}
      sx={BOX}
    />
  );
}

/** A value of its own, or a variable, where rules may have one. */
function VariableChoice(props: ValueEditorProps & { readonly offered: readonly string[] }) {
  const { operand, value, onChange, offered } = props;
  const translate = useTranslate();
  const current = operand === 'list' && Array.isArray(value) ? value[0] : value;
  const chosen = isVariable(current) ? current : '';
  const options = chosen === '' || offered.includes(chosen) ? offered : [...offered, chosen];
  return (
    <>
      <TextField
        select
        value={chosen}
        onChange={({ target }) => {
          const next = target.value === '' ? null : target.value;
          onChange(operand === 'list' && next !== null ? [next] : next);
        }}
        slotProps={{
          select: { native: true },
          htmlInput: { 'aria-label': translate('filter.compareWith') },
        }}
        sx={BOX}
      >
        <option value="">{translate('filter.aValue')}</option>
        {options.map((option) => (
          <option key={option} value={option}>
            {variableName(option, translate)}
          </option>
        ))}
      </TextField>
      {chosen === '' && <PlainValue {...props} />}
    </>
  );
}

export function ValueEditor(props: ValueEditorProps) {
  const { operand, value } = props;
  const purpose = useContext(PurposeContext);
  const more = useContext(MoreVariablesContext);
  if (operand === 'none') return null;
  const isPlain = purpose === 'search' || operand === 'pair';
  const offered = isPlain ? [] : [...more, ...variablesFor(props)];
  const isStored = purpose !== 'search' && isVariable(value);
  return offered.length > 0 || isStored ? (
    <VariableChoice {...props} offered={offered} />
  ) : (
    <PlainValue {...props} />
  );
}

function PlainValue(props: ValueEditorProps) {
  const { operand, value, onChange } = props;
  const translate = useTranslate();
  const label = translate('filter.value');
  if (operand === 'pair') {
    const [from = '', to = ''] = listOf(value);
    return (
      <>
        <OneValue
          {...props}
          value={from}
          onChange={(next) => onChange([next, to])}
          label={translate('filter.from')}
        />
        <OneValue
          {...props}
          value={to}
          onChange={(next) => onChange([from, next])}
          label={translate('filter.to')}
        />
      </>
    );
  }
  if (operand === 'list') {
    const values = listOf(value).map(String);
    return (
      <Autocomplete
        multiple
        freeSolo
        options={choicesOf(props.field).map((choice) => String(choice.value))}
        value={values}
        onChange={(_, next) => onChange(next)}
        // What was typed counts without Enter, too.
        onBlur={({ target }) => {
          const typed =
            'value' in target && typeof target.value === 'string' ? target.value.trim() : '';
          if (typed !== '' && !values.includes(typed)) onChange([...values, typed]);
        }}
        sx={BOX}
        renderInput={(parameters) => (
          <TextField {...parameters} label={label} helperText={translate('filter.listHelp')} />
        )}
      />
    );
  }
  return <OneValue {...props} value={Array.isArray(value) ? null : value} label={label} />;
}
