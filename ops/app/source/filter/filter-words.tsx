/** A filter in words, for people who only read it. */
import Box from '@mui/material/Box';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { client } from '../data/client.ts';
import { keyFields, keyFromText } from '../data/item-key.ts';
import { useFields } from '../data/queries.ts';
import type { Filter } from '../data/schema-types.ts';
import { choicesOf } from '../display/choices.ts';
import { formatDate } from '../display/format.ts';
import { useTemplate } from '../display/representation.ts';
import { fillTemplate, templatePaths } from '../display/template.ts';
import { fieldName } from '../translation/names.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { type Condition, type Group, type Node, readFilter } from './filter-tree.ts';
import { operandOf } from './operators.ts';
import { COUNT, type Target } from './steps.ts';
import { useTarget } from './use-target.ts';
import { isVariable, variableName } from './variables.ts';

const DATES = new Set(['date', 'dateTime', 'timestamp', 'time']);

/** What the item is called that a key stands for; the key while nobody knows. */
function ItemName({ collection, value }: { readonly collection: string; readonly value: unknown }) {
  const fields = useFields(collection);
  const template = useTemplate(collection);
  const [key = ''] = keyFields(fields);
  const paths = [...new Set([key, ...templatePaths(template)])];
  const item = useQuery({
    queryKey: ['items', collection, 'one', 'picker', paths, value],
    queryFn: ({ signal }) =>
      client.items(collection).get(keyFromText(String(value)), { fields: paths }, { signal }),
    enabled: key !== '',
  });
  return <>{(item.data && fillTemplate(template, item.data)) || String(value)}</>;
}

function OneValue({ target, value }: { readonly target: Target; readonly value: unknown }) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const { field, type, related } = target;
  if (isVariable(value)) return <>{variableName(value, translate)}</>;
  if (related !== null) return <ItemName collection={related} value={value} />;
  if (typeof value === 'boolean') return <>{translate(value ? 'list.yes' : 'list.no')}</>;
  if (DATES.has(type)) return <>{formatDate(type, String(value), locale)}</>;
  const choice = field === null ? undefined : choicesOf(field).find((one) => one.value === value);
  if (choice !== undefined) return <>{choice.text}</>;
  if (typeof value === 'object') return <>{JSON.stringify(value)}</>;
  return <>{translate('filter.quoted', { value: String(value) })}</>;
}

function ConditionWords({ collection, condition }: ConditionProps) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const { path, operator, value } = condition;
  const { fields, follow } = useTarget(collection, path);
  const target = follow(path);
  const way = target.steps
    .filter(({ chosen }) => chosen !== '')
    .map(({ collection: at, chosen, quantifier }) => {
      if (chosen === COUNT) return translate('filter.count');
      const field = (fields.get(at) ?? []).find((known) => known.field === chosen);
      const name = field === undefined ? chosen : fieldName(field, locale);
      return quantifier === '_none' ? `${name} (${translate('filter.noneOf')})` : name;
    });
  const values = Array.isArray(value) ? value : [value];
  return (
    <>
      <strong>{way.join(' › ')}</strong> {translate(`filter.operator${operator}`, { _: operator })}
      {operandOf(operator) !== 'none' &&
        values.map((one, index) => (
          <span key={String(one)}>
            {index === 0 ? ' ' : ', '}
            <OneValue target={target} value={one} />
          </span>
        ))}
    </>
  );
}

interface ConditionProps {
  readonly collection: string;
  readonly condition: Condition;
}

function NodeWords({ collection, node }: { readonly collection: string; readonly node: Node }) {
  if (node.kind === 'condition') return <ConditionWords collection={collection} condition={node} />;
  if (node.kind === 'group') return <GroupWords collection={collection} group={node} />;
  return <code>{JSON.stringify(node.filter)}</code>;
}

function GroupWords({ collection, group }: { readonly collection: string; readonly group: Group }) {
  const translate = useTranslate();
  const [only] = group.members;
  if (only === undefined) return null;
  if (group.members.length === 1) return <NodeWords collection={collection} node={only} />;
  return (
    <>
      {translate(group.all ? 'filter.all' : 'filter.any')}:
      <Box component="ul" sx={{ m: 0, paddingInlineStart: 2.5 }}>
        {group.members.map((member) => (
          <li key={member.id}>
            <NodeWords collection={collection} node={member} />
          </li>
        ))}
      </Box>
    </>
  );
}

export interface FilterWordsProps {
  readonly collection: string;
  readonly filter: Filter | null;
}

export function FilterWords({ collection, filter }: FilterWordsProps) {
  const group = useMemo(() => readFilter(filter), [filter]);
  return <GroupWords collection={collection} group={group} />;
}
