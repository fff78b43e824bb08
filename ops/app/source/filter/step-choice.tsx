/** One step on the way to what a condition is about: a field, and for a relation to many which items. */
import TextField from '@mui/material/TextField';
import { relationOf } from '../data/relation-of.ts';
import type { Field, Relation } from '../data/schema-types.ts';
import { fieldName } from '../translation/names.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { COUNT, type Step } from './steps.ts';

export interface StepChoiceProps {
  readonly step: Step;
  /** The step before; null for the first one. */
  readonly before: Step | null;
  readonly after: Step | null;
  readonly fields: readonly Field[];
  readonly relations: readonly Relation[];
  /** Whether it begins with the focus. */
  readonly autoFocus?: boolean;
  readonly onChange: (change: Partial<Pick<Step, 'chosen' | 'quantifier'>>) => void;
}

/** The size of a choice in the row of a condition. */
export const CHOICE = { minWidth: 140, flex: '1 1 140px' } as const;

function isOffered(field: Field, relations: readonly Relation[]): boolean {
  return field.type !== 'alias' || relationOf(relations, field) !== null;
}

export function StepChoice(props: StepChoiceProps) {
  const { step, before, after, fields, relations, autoFocus = false, onChange } = props;
  const translate = useTranslate();
  const [locale] = useLocaleState();
  // A relation to many that has been chosen is followed or counted.
  const isCountable = before !== null && before.quantifier !== null;
  const known = fields
    .filter((field) => isOffered(field, relations))
    .map((field) => ({ value: field.field, label: fieldName(field, locale) }))
    .toSorted((a, b) => a.label.localeCompare(b.label, locale));
  const count = { value: COUNT, label: translate('filter.count') };
  const options = isCountable || step.chosen === COUNT ? [count, ...known] : known;
  const isUnknown = step.chosen !== '' && !options.some(({ value }) => value === step.chosen);
  const nothing = before === null || isCountable ? 'filter.chooseField' : 'filter.itself';
  const label = translate(before === null ? 'filter.field' : 'filter.ofRelated');
  return (
    <>
      <TextField
        select
        autoFocus={autoFocus}
        value={step.chosen}
        onChange={({ target }) => onChange({ chosen: target.value })}
        slotProps={{ select: { native: true }, htmlInput: { 'aria-label': label } }}
        sx={CHOICE}
      >
        <option value="">{translate(nothing)}</option>
        {isUnknown && <option value={step.chosen}>{step.chosen}</option>}
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </TextField>
      {step.quantifier !== null && after?.chosen !== COUNT && (
        <TextField
          select
          value={step.quantifier}
          onChange={({ target }) =>
            onChange({ quantifier: target.value === '_none' ? '_none' : '_some' })
          }
          slotProps={{
            select: { native: true },
            htmlInput: { 'aria-label': translate('filter.quantifier') },
          }}
          sx={CHOICE}
        >
          <option value="_some">{translate('filter.some')}</option>
          <option value="_none">{translate('filter.noneOf')}</option>
        </TextField>
      )}
    </>
  );
}
