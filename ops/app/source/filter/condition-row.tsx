/** One condition: the way to its field, the operator, and what that compares with. */
import Box from '@mui/material/Box';
import FormHelperText from '@mui/material/FormHelperText';
import TextField from '@mui/material/TextField';
import { useContext, useId } from 'react';
import { useTranslate } from '../translation/use-translate.ts';
import { type Condition, isComplete } from './filter-tree.ts';
import { operandOf, operatorsOf, payloadOperatorsOf } from './operators.ts';
import { MarksIncompleteContext, PurposeContext } from './purpose.ts';
import { CHOICE, StepChoice } from './step-choice.tsx';
import { choose, type Step, type Target } from './steps.ts';
import { useTarget } from './use-target.ts';
import { ValueEditor } from './value-editor.tsx';

export interface ConditionRowProps {
  readonly collection: string;
  readonly condition: Condition;
  readonly onChange: (condition: Condition) => void;
}

function firstOperator({ field, type, concealed }: Target): string {
  return field === null ? '' : (operatorsOf(type, concealed)[0] ?? '');
}

export function ConditionRow({ collection, condition, onChange }: ConditionRowProps) {
  const translate = useTranslate();
  const purpose = useContext(PurposeContext);
  const marked = useContext(MarksIncompleteContext) && !isComplete(condition);
  const help = useId();
  const { path, operator } = condition;
  const { relations, fields, follow } = useTarget(collection, path);
  const target = follow(path);
  const take = (index: number, change: Partial<Pick<Step, 'chosen' | 'quantifier'>>) => {
    const next = choose(target.steps, index, change, relations);
    if (change.chosen === undefined) return onChange({ ...condition, path: next });
    const begun = firstOperator(follow(next));
    const value = operandOf(begun) === 'none' ? true : null;
    onChange({ ...condition, path: next, operator: begun, value });
  };
  const offered = purpose === 'validation' ? payloadOperatorsOf : operatorsOf;
  const operators = target.field === null ? [] : offered(target.type, target.concealed);
  const chosen = operator === '' ? firstOperator(target) : operator;
  const setOperator = (next: string) => {
    const kept = operandOf(next) === operandOf(chosen) && operandOf(next) !== 'none';
    onChange({
      ...condition,
      operator: next,
      value: operandOf(next) === 'none' ? true : kept ? condition.value : null,
    });
  };
  return (
    <Box
      role="group"
      aria-label={translate('filter.condition')}
      aria-describedby={marked ? help : undefined}
      data-unfinished={marked || undefined}
      sx={{ flex: 1, minWidth: 0, display: 'flex', flexWrap: 'wrap', gap: 1 }}
    >
      {target.steps.map((step, index) => (
        <StepChoice
          key={target.steps
            .slice(0, index)
            .map((before) => before.chosen)
            .join('.')}
          step={step}
          before={target.steps[index - 1] ?? null}
          after={target.steps[index + 1] ?? null}
          fields={fields.get(step.collection) ?? []}
          relations={relations}
          autoFocus={index === 0 && path.length === 0}
          onChange={(change) => take(index, change)}
        />
      ))}
      {target.field !== null && (
        <>
          <TextField
            select
            value={chosen}
            onChange={({ target: { value } }) => setOperator(value)}
            slotProps={{
              select: { native: true },
              htmlInput: { 'aria-label': translate('filter.operator') },
            }}
            sx={CHOICE}
          >
            {!operators.includes(chosen) && <option value={chosen}>{chosen}</option>}
            {operators.map((name) => (
              <option key={name} value={name}>
                {translate(`filter.operator${name}`)}
              </option>
            ))}
          </TextField>
          <ValueEditor
            field={target.field}
            type={target.type}
            related={target.related}
            operand={operandOf(chosen)}
            value={condition.value}
            onChange={(value) => onChange({ ...condition, operator: chosen, value })}
          />
        </>
      )}
      {marked && (
        <FormHelperText id={help} error sx={{ flexBasis: '100%', m: 0 }}>
          {translate(path.length === 0 ? 'filter.fieldMissing' : 'filter.valueMissing')}
        </FormHelperText>
      )}
    </Box>
  );
}
