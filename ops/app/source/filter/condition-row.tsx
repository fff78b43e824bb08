/** One condition: the way to its field, the operator, and what that compares with. */
import Box from '@mui/material/Box';
import TextField from '@mui/material/TextField';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useTranslate } from 'ra-core';
import { useMemo } from 'react';
import { fieldsQuery, relationsQuery } from '../data/queries.ts';
import type { Relation } from '../data/schema-types.ts';
import type { Condition } from './filter-tree.ts';
import { operandOf, operatorsOf } from './operators.ts';
import { CHOICE, StepChoice } from './step-choice.tsx';
import { choose, followPath, type Step, type Target } from './steps.ts';
import { ValueEditor } from './value-editor.tsx';

export interface ConditionRowProps {
  readonly collection: string;
  readonly condition: Condition;
  readonly onChange: (condition: Condition) => void;
}

const NO_RELATIONS: readonly Relation[] = [];

/** Follows the path, and loads the fields of the collections that it leads through. */
function useTarget(collection: string, path: readonly string[]) {
  const relations = useQuery(relationsQuery).data ?? NO_RELATIONS;
  // Each relation on the way may lead to one more collection.
  const names = useMemo(() => {
    const reached = new Set([collection]);
    for (const relation of relations) {
      for (const end of [relation.collection, relation.related_collection]) {
        const uses = path.includes(relation.field) || path.includes(relation.meta?.one_field ?? '');
        if (end !== null && uses) reached.add(end);
      }
    }
    return [...reached];
  }, [collection, path, relations]);
  const fields = useQueries({
    queries: names.map(fieldsQuery),
    combine: (results) =>
      new Map(results.map(({ data }, index) => [names[index] ?? '', data ?? []])),
  });
  return {
    relations,
    fields,
    follow: (way: readonly string[]) =>
      followPath(collection, way, (name) => fields.get(name) ?? [], relations),
  };
}

function firstOperator({ field, type, concealed }: Target): string {
  return field === null ? '' : (operatorsOf(type, concealed)[0] ?? '');
}

export function ConditionRow({ collection, condition, onChange }: ConditionRowProps) {
  const translate = useTranslate();
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
  const operators = target.field === null ? [] : operatorsOf(target.type, target.concealed);
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
    </Box>
  );
}
