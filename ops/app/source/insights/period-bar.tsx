/** Chooses the period of a dashboard and the values of its variables. */
import Box from '@mui/material/Box';
import IconButton from '@mui/material/IconButton';
import TextField from '@mui/material/TextField';
import { useState } from 'react';
import { Link } from 'react-router-dom';
import { Choice } from '../shell/choice.tsx';
import { useParameters } from '../shell/use-parameters.ts';
import { Icon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { panelPath } from './insight-queries.ts';
import type { PageState } from './page-state.ts';
import { PERIODS, type PeriodName } from './period.ts';
import { parametersFor, type Variable } from './variables.ts';

const BOX = { minWidth: 150, flex: '0 1 200px' } as const;
const SHRUNK = { inputLabel: { shrink: true } };

interface DateFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (date: string) => void;
}

function DateField({ label, value, onChange }: DateFieldProps) {
  return (
    <TextField
      type="date"
      label={label}
      value={value}
      onChange={({ target }) => onChange(target.value)}
      slotProps={SHRUNK}
      sx={BOX}
    />
  );
}

interface VariableFieldProps {
  readonly variable: Variable;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A text holds when one leaves it or presses Enter: each letter alone would ask all panels anew. */
function TextVariable({ variable, value, onChange }: VariableFieldProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const take = () => {
    if (typed !== null && typed.trim() !== value) onChange(typed.trim());
    setTyped(null);
  };
  return (
    <TextField
      label={variable.label}
      value={typed ?? value}
      onChange={({ target }) => setTyped(target.value)}
      onBlur={take}
      onKeyDown={({ key }) => {
        if (key === 'Enter') take();
      }}
      slotProps={SHRUNK}
      sx={BOX}
    />
  );
}

function VariableField(props: VariableFieldProps) {
  const { variable, value, onChange } = props;
  const translate = useTranslate();
  if (variable.kind === 'date') {
    return <DateField label={variable.label} value={value} onChange={onChange} />;
  }
  if (variable.kind === 'text') return <TextVariable {...props} />;
  const choices = variable.choices.includes(value) || value === '' ? [] : [value];
  return (
    <Box sx={BOX}>
      <Choice
        label={variable.label}
        value={value}
        options={[
          ['', translate('insights.anyValue')],
          ...[...choices, ...variable.choices].map((choice): [string, string] => [choice, choice]),
        ]}
        onChange={onChange}
      />
    </Box>
  );
}

export interface PeriodBarProps {
  readonly page: PageState;
  /** The dashboard, for those who may change its variables. */
  readonly dashboard: string | null;
}

export function PeriodBar({ page, dashboard }: PeriodBarProps) {
  const { period, variables, values } = page;
  const translate = useTranslate();
  const { change } = useParameters();
  const names: readonly PeriodName[] = [...PERIODS, 'custom'];
  return (
    <Box
      role="group"
      aria-label={translate('insights.shown')}
      sx={{ display: 'flex', flexWrap: 'wrap', gap: 1.5 }}
    >
      <Box sx={BOX}>
        <Choice
          label={translate('insights.period')}
          value={period.name}
          options={names.map((name) => [name, translate(`insights.period_${name}`)])}
          onChange={(name) => change({ period: name })}
        />
      </Box>
      {period.name === 'custom' && (
        <>
          <DateField
            label={translate('insights.from')}
            value={period.from}
            onChange={(from) => change({ from })}
          />
          <DateField
            label={translate('insights.to')}
            value={period.to}
            onChange={(to) => change({ to })}
          />
        </>
      )}
      {variables.map((variable) => (
        <Box key={variable.name} sx={{ display: 'flex', alignItems: 'center', maxWidth: '100%' }}>
          <VariableField
            variable={variable}
            value={values.get(variable.name) ?? ''}
            onChange={(value) => change(parametersFor(variable, value))}
          />
          {dashboard !== null && (
            <IconButton
              size="small"
              component={Link}
              to={panelPath(dashboard, variable.panel)}
              aria-label={translate('insights.editVariable', { name: variable.label })}
            >
              <Icon name="edit" fontSize="small" />
            </IconButton>
          )}
        </Box>
      ))}
    </Box>
  );
}
