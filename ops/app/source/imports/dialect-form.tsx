/** How the file is written: guessed, shown, and changed where the guess is wrong. */
import Box from '@mui/material/Box';
import TextField from '@mui/material/TextField';
import { useId } from 'react';
import { allZones } from '../data/zone.ts';
import { Choice } from '../shell/choice.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import {
  CHARSETS,
  DECIMALS,
  EMPTIES,
  isTable,
  type Plan,
  QUOTE_RULES,
  QUOTES,
  SEPARATORS,
  SHORT_ROWS,
  THOUSANDS,
} from './plan.ts';
import { SheetForm } from './sheet-form.tsx';
import type { Sheet } from './workbook.ts';

export interface DialectFormProps {
  readonly plan: Plan;
  /** Those of a workbook. */
  readonly sheets: readonly Sheet[];
  readonly onChange: (changes: Partial<Plan>) => void;
  /** Which questions the fields of the collection raise. */
  readonly kinds: { readonly dates: boolean; readonly zones: boolean; readonly decimals: boolean };
}

const DATE_FORMATS = ['DD.MM.YYYY', 'DD/MM/YYYY', 'MM/DD/YYYY', 'DD.MM.YYYY HH:mm', 'YYYY/MM/DD'];

const withCurrent = (known: readonly string[], current: string) =>
  known.includes(current) ? known : [...known, current];

export const GRID = {
  display: 'grid',
  gap: 2,
  gridTemplateColumns: 'repeat(auto-fill, minmax(200px, 1fr))',
  alignItems: 'start',
} as const;

export function DialectForm({ plan, sheets, onChange, kinds }: DialectFormProps) {
  const translate = useTranslate();
  const dates = useId();
  const zones = useId();
  const isCsv = plan.format === 'csv';
  const hasCells = isCsv || plan.format === 'xlsx';
  const named = (kind: string, value: string) =>
    translate(`imports.${kind}.${value}`, { _: value });
  return (
    <Box sx={GRID}>
      {isCsv && (
        <>
          <Choice
            label={translate('imports.separator')}
            value={plan.separator}
            options={withCurrent(SEPARATORS, plan.separator).map((sign) => [
              sign,
              named('sign', SIGNS[sign] ?? sign),
            ])}
            onChange={(separator) => onChange({ separator })}
          />
          <Choice
            label={translate('imports.quote')}
            value={plan.quote}
            options={QUOTES.map((sign) => [sign, named('sign', SIGNS[sign] ?? sign)])}
            onChange={(quote) => onChange({ quote })}
          />
        </>
      )}
      {plan.format === 'xlsx' && <SheetForm sheets={sheets} plan={plan} onChange={onChange} />}
      {!isTable(plan) && (
        <Choice
          label={translate('imports.charset')}
          value={plan.charset}
          options={withCurrent(CHARSETS, plan.charset).map((name) => [name, name.toUpperCase()])}
          onChange={(charset) => onChange({ charset })}
        />
      )}
      {hasCells && (
        <>
          {kinds.decimals && (
            <Choice
              label={translate('imports.decimal')}
              value={plan.decimal}
              options={DECIMALS.map((sign) => [sign, named('decimalSign', SIGNS[sign] ?? sign)])}
              onChange={(decimal) => onChange({ decimal })}
            />
          )}
          {kinds.decimals && (
            <Choice
              label={translate('imports.thousands')}
              value={plan.thousands ?? ''}
              options={THOUSANDS.map((sign) => [
                sign,
                named('thousandsSign', GROUPS[sign] ?? sign),
              ])}
              onChange={(thousands) => onChange({ thousands })}
            />
          )}
        </>
      )}
      {isCsv && (
        <>
          <Choice
            label={translate('imports.quoteRule')}
            value={plan.quotes ?? 'strict'}
            options={QUOTE_RULES.map((name) => [name, named('quoteRules', name)])}
            onChange={(quotes) => onChange({ quotes })}
          />
          <Choice
            label={translate('imports.shortRow')}
            value={plan.ragged ?? 'reject'}
            options={SHORT_ROWS.map((name) => [name, named('shortRows', name)])}
            onChange={(ragged) => onChange({ ragged })}
          />
          <TextField
            label={translate('imports.nullValues')}
            value={plan.nullValues ?? ''}
            placeholder="NULL,\N,NA"
            onChange={({ target }) => onChange({ nullValues: target.value })}
            slotProps={{ inputLabel: { shrink: true }, htmlInput: { dir: 'ltr' } }}
          />
        </>
      )}
      {hasCells && (
        <Choice
          label={translate('imports.empty')}
          value={plan.empty}
          options={EMPTIES.map((name) => [name, named('emptyCell', name)])}
          onChange={(empty) => onChange({ empty })}
        />
      )}
      {kinds.dates && (
        <TextField
          label={translate('imports.dateFormat')}
          value={plan.dateFormat}
          placeholder="YYYY-MM-DD"
          onChange={({ target }) => onChange({ dateFormat: target.value })}
          slotProps={{ inputLabel: { shrink: true }, htmlInput: { list: dates, dir: 'ltr' } }}
        />
      )}
      {kinds.zones && (
        <TextField
          label={translate('imports.timezone')}
          value={plan.timezone}
          placeholder="UTC"
          onChange={({ target }) => onChange({ timezone: target.value })}
          slotProps={{ inputLabel: { shrink: true }, htmlInput: { list: zones, dir: 'ltr' } }}
        />
      )}
      <datalist id={dates}>
        {DATE_FORMATS.map((format) => (
          <option key={format} value={format} />
        ))}
      </datalist>
      <datalist id={zones}>
        {allZones().map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </Box>
  );
}

/** Names of the separators of groups in the keys of texts. */
const GROUPS: Readonly<Record<string, string>> = {
  '': 'none',
  '.': 'point',
  ',': 'comma',
  ' ': 'space',
  "'": 'apostrophe',
};

/** Names of characters in the keys of texts. */
const SIGNS: Readonly<Record<string, string>> = {
  ',': 'comma',
  ';': 'semicolon',
  '\t': 'tab',
  '|': 'bar',
  '.': 'point',
  '"': 'double',
  "'": 'single',
  '': 'none',
};
