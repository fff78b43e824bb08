/**
 * Variables of a dashboard: values that the viewer chooses. A filter of a panel names one as `$name`; without
 * a value its condition is left out.
 */
import type { Filter } from '../data/schema-types.ts';
import { isItem, textOption } from '../data/values.ts';
import { type Panel, VARIABLE_KINDS, type VariableKind } from './panel-options.ts';

export interface Variable {
  /** The key of the panel that declares it. */
  readonly panel: string;
  readonly name: string;
  readonly label: string;
  readonly kind: VariableKind;
  readonly choices: readonly string[];
  readonly otherwise: string;
}

/** What the variables of a page stand for; those without a value are missing. */
export type VariableValues = ReadonlyMap<string, string>;

/** Stands in the address for no value, where the variable begins with one. */
const ANY = '*';

/** The parameter of the address that holds the value of a variable. */
function parameterOf(name: string): string {
  return `var.${name}`;
}

/** A name that can stand in an address and in a filter. */
export const VARIABLE_NAME = /^[a-z]\w*$/;

type Declaration = Pick<Panel, 'id' | 'name' | 'options'>;

/** Reads the variable that a panel of that type declares; null for one without a name. */
export function variableOf({ id, name: label, options }: Declaration): Variable | null {
  const name = textOption(options, 'variable') ?? '';
  if (!VARIABLE_NAME.test(name)) return null;
  const choices = options?.choices;
  return {
    panel: id,
    name,
    label: label || name,
    kind: VARIABLE_KINDS.find((kind) => kind === options?.kind) ?? 'text',
    choices: Array.isArray(choices) ? choices.map(String) : [],
    otherwise: textOption(options, 'otherwise') ?? '',
  };
}

/** The variables that the panels of a dashboard declare. */
export function variablesOf(panels: readonly Panel[]): readonly Variable[] {
  return panels.flatMap((panel) => (panel.type === 'variable' ? (variableOf(panel) ?? []) : []));
}

/** The values of the variables: those of the address, else those that they begin with. */
export function valuesOf(
  variables: readonly Variable[],
  parameters: URLSearchParams,
): VariableValues {
  return new Map(
    variables.flatMap(({ name, otherwise }): [string, string][] => {
      const value = parameters.get(parameterOf(name)) ?? otherwise;
      return value === '' || value === ANY ? [] : [[name, value]];
    }),
  );
}

/** The parameters of the address that give a variable a value; empty for none. */
export function parametersFor({ name, otherwise }: Variable, value: string) {
  return { [parameterOf(name)]: value === '' && otherwise !== '' ? ANY : value };
}

/** What a part of a filter becomes; undefined for one that is left out. */
function resolvedPart(part: unknown, names: ReadonlySet<string>, values: VariableValues): unknown {
  if (typeof part === 'string') {
    const name = part.startsWith('$') ? part.slice(1) : '';
    return names.has(name) ? values.get(name) : part;
  }
  if (Array.isArray(part)) {
    const kept = part.flatMap((one) => {
      const resolved = resolvedPart(one, names, values);
      return resolved === undefined ? [] : [resolved];
    });
    return kept.length === 0 && part.length > 0 ? undefined : kept;
  }
  if (!isItem(part)) return part;
  const members = Object.entries(part).flatMap(([name, member]): [string, unknown][] => {
    const resolved = resolvedPart(member, names, values);
    // Half a pair is no condition.
    const isHalf = name.endsWith('between') && Array.isArray(resolved) && resolved.length < 2;
    return resolved === undefined || isHalf ? [] : [[name, resolved]];
  });
  if (members.length === 0 && Object.keys(part).length > 0) return undefined;
  return Object.fromEntries(members);
}

/** A filter with the values of the variables; null for no condition. */
export function resolveFilter(
  filter: Filter | null,
  variables: readonly Variable[],
  values: VariableValues,
): Filter | null {
  const names = new Set(variables.map(({ name }) => name));
  const resolved = filter === null ? null : resolvedPart(filter, names, values);
  return isItem(resolved) ? resolved : null;
}
