/** The categories with the highest values, as bars. */
import { useQuery } from '@tanstack/react-query';
import { BarChart } from '../chart/bar-chart.tsx';
import { relationsQuery } from '../data/queries.ts';
import { relationOf } from '../data/relation-of.ts';
import type { Field, Item } from '../data/schema-types.ts';
import { choicesOf } from '../display/choices.ts';
import { useFormatDate } from '../display/use-format-date.ts';
import { useItemNames } from '../display/use-item-names.ts';
import { Loading } from '../shell/loading.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { PanelFrame } from './panel-frame.tsx';
import type { KindProps } from './panel-kind.ts';
import { PanelFailure } from './panel-note.tsx';
import { aggregateValue, barQuery } from './panel-query.ts';
import { useRows, useValueName } from './use-panel.ts';

const NO_ITEMS: readonly Item[] = [];
const DATES = new Set(['date', 'dateTime', 'timestamp', 'time']);

/** A category in words. */
function useCategoryNames(field: Field | undefined, values: readonly unknown[]) {
  const translate = useTranslate();
  const formatDate = useFormatDate();
  const relations = useQuery(relationsQuery).data ?? [];
  const relation = field === undefined ? null : relationOf(relations, field);
  const related = relation?.kind === 'm2o' ? relation.related : '';
  const keys = values.filter((value) => value !== null).map(String);
  const names = useItemNames(related, related === '' ? [] : keys);
  const nameOf = (value: unknown): string => {
    if (value === null || value === undefined || value === '') return translate('insights.noValue');
    if (typeof value === 'boolean') return translate(value ? 'list.yes' : 'list.no');
    const text = String(value);
    if (related !== '') return names.get(text) || text;
    if (field !== undefined && DATES.has(field.type)) return formatDate(field.type, text);
    const choice =
      field === undefined ? undefined : choicesOf(field).find((one) => String(one.value) === text);
    return choice?.text ?? text;
  };
  const shown = values.map(nameOf);
  // Two categories of one name are told apart by what they are.
  return shown.map((name, place) =>
    shown.indexOf(name) === place ? name : `${name} (${String(values[place])})`,
  );
}

export function BarPanel({ title, options, context, height, menuOf }: KindProps) {
  const { collection, groupField } = options;
  const { reading } = context;
  const rows = useRows(collection, reading === null ? null : barQuery(options, reading));
  const data = rows.data ?? NO_ITEMS;
  const categories = useCategoryNames(
    context.field(groupField),
    data.map((row) => row[groupField]),
  );
  const name = useValueName(options, context);
  const shown = title ?? name;
  if (rows.isError || rows.data === undefined) {
    return (
      <PanelFrame title={shown} height={height} actions={menuOf(shown, null)}>
        {rows.isError ? <PanelFailure error={rows.error} /> : <Loading />}
      </PanelFrame>
    );
  }
  const values = data.map((row) => aggregateValue(row, options));
  const table = {
    heads: [context.nameOf(groupField), name],
    rows: categories.map((category, place) => [category, values[place] ?? null]),
  };
  return (
    <BarChart
      title={shown}
      categories={categories}
      series={[{ name, values }]}
      lying
      height={height}
      actions={menuOf(shown, table)}
    />
  );
}
