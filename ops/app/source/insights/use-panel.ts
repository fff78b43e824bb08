/** What all kinds of panels need before they ask for data: the fields, the period, the filter. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { client } from '../data/client.ts';
import { fieldsQuery, useRights } from '../data/queries.ts';
import { may, mayField } from '../data/rights.ts';
import type { Field, Item } from '../data/schema-types.ts';
import { fieldName } from '../translation/names.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import type { PageState } from './page-state.ts';
import type { PanelOptions } from './panel-options.ts';
import type { ListQuery, PanelQuery, Reading } from './panel-query.ts';
import { type Span, spanOf } from './period.ts';
import { resolveFilter } from './variables.ts';

export interface PanelContext {
  /** Whether the viewer may read everything that the panel names. */
  readonly isReadable: boolean;
  /** Null while the fields load. */
  readonly reading: Reading | null;
  readonly span: Span | null;
  readonly field: (name: string) => Field | undefined;
  /** What a field is called. */
  readonly nameOf: (name: string) => string;
}

export function usePanel(options: PanelOptions, page: PageState): PanelContext {
  const [locale] = useLocaleState();
  const rights = useRights();
  const { collection, dateField, valueField, groupField, sortField, range, filter } = options;
  const named = [dateField, valueField, groupField, sortField].filter((name) => name !== '');
  const isReadable =
    may(rights, collection, 'read') &&
    named.every((name) => mayField(rights, collection, 'read', name));
  const fields = useQuery({ ...fieldsQuery(collection), enabled: isReadable }).data;
  const { period, now, variables, values } = page;
  const span = useMemo(
    () => spanOf(range === 'page' ? period : { name: range, from: '', to: '' }, now),
    [range, period, now],
  );
  const resolved = useMemo(
    () => resolveFilter(filter, variables, values),
    [filter, variables, values],
  );
  const field = (name: string) => fields?.find((known) => known.field === name);
  const nameOf = (name: string) => {
    const known = field(name);
    return known === undefined ? name : fieldName(known, locale);
  };
  const reading =
    fields === undefined
      ? null
      : { filter: resolved, span, dateType: field(dateField)?.type ?? '' };
  return { isReadable, reading, span, field, nameOf };
}

/** The title of a panel that has none of its own: what its numbers are. */
export function useValueName(options: PanelOptions, { nameOf }: PanelContext): string {
  const translate = useTranslate();
  const { function: name, valueField } = options;
  return valueField === ''
    ? translate('insights.value_items')
    : translate(`insights.value_${name}`, { field: nameOf(valueField) });
}

function panelQuery(collection: string, query: PanelQuery | ListQuery | null) {
  return {
    queryKey: ['items', collection, 'panel', query],
    queryFn: async ({ signal }: { readonly signal: AbortSignal }): Promise<readonly Item[]> =>
      query === null ? [] : await client.items(collection).list<object>(query, { signal }),
    enabled: query !== null,
    placeholderData: keepPreviousData,
  };
}

/** The rows of a panel; what was read before is shown until the next ones are there. */
export function useRows(collection: string, query: PanelQuery | ListQuery | null) {
  return useQuery(panelQuery(collection, query));
}
