/** What a dashboard shows beside its panels: its period and its variables, kept in the address of the page. */
import { useEffect, useMemo, useState } from 'react';
import { useParameters } from '../shell/use-parameters.ts';
import type { Panel } from './panel-options.ts';
import { DEFAULT_PERIOD, nowOf, type Period, periodName } from './period.ts';
import { type Variable, type VariableValues, valuesOf, variablesOf } from './variables.ts';

export interface PageState {
  readonly period: Period;
  readonly now: Date;
  readonly variables: readonly Variable[];
  readonly values: VariableValues;
}

const TICK = 30_000;

/** The moment, which changes only when other items belong to the period. */
function useNow(name: Period['name']): Date {
  const [time, setTime] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setTime(Date.now()), TICK);
    return () => clearInterval(timer);
  }, []);
  const now = nowOf(name, time).getTime();
  return useMemo(() => new Date(now), [now]);
}

export function usePageState(panels: readonly Panel[]): PageState {
  const { parameters } = useParameters();
  const name = periodName(parameters.get('period')) ?? DEFAULT_PERIOD;
  const from = parameters.get('from') ?? '';
  const to = parameters.get('to') ?? '';
  const now = useNow(name);
  const variables = useMemo(() => variablesOf(panels), [panels]);
  return useMemo(
    () => ({
      period: { name, from, to },
      now,
      variables,
      values: valuesOf(variables, parameters),
    }),
    [name, from, to, now, variables, parameters],
  );
}
