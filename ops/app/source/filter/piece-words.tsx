/** Shows sentences that are made of pieces. */
import { useQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import { client } from '../data/client.ts';
import { keyFields, keyFromText } from '../data/item-key.ts';
import { useFields } from '../data/queries.ts';
import { choicesOf } from '../display/choices.ts';
import { formatNumber } from '../display/format.ts';
import { useTemplate } from '../display/representation.ts';
import { fillTemplate, templatePaths } from '../display/template.ts';
import { useFormatDate } from '../display/use-format-date.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import type { Compared } from './phrase.ts';
import type { Pieces } from './pieces.ts';
import { isVariable, variableName } from './variables.ts';

const DATES = new Set(['date', 'dateTime', 'timestamp', 'time']);

/** What the item is called that a key stands for; the key while nobody knows. */
function ItemName({ collection, value }: { readonly collection: string; readonly value: unknown }) {
  const translate = useTranslate();
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
  const title = (item.data && fillTemplate(template, item.data)) || String(value);
  return <>{translate('filter.quoted', { value: title })}</>;
}

function ComparedValue({ compared, value }: { compared: Compared; value: unknown }) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const formatDate = useFormatDate();
  const { field, type, related } = compared;
  if (isVariable(value)) return <>{variableName(value, translate)}</>;
  if (value === null) return <>{translate('sentence.nothing')}</>;
  if (related !== null) return <ItemName collection={related} value={value} />;
  if (typeof value === 'boolean') return <>{translate(value ? 'list.yes' : 'list.no')}</>;
  if (DATES.has(type)) return <>{formatDate(type, String(value))}</>;
  const choice = field === null ? undefined : choicesOf(field).find((one) => one.value === value);
  if (choice !== undefined) return <>{translate('filter.quoted', { value: choice.text })}</>;
  if (typeof value === 'number') return <>{formatNumber(value, locale)}</>;
  if (typeof value === 'object') return <>{JSON.stringify(value)}</>;
  return <>{translate('filter.quoted', { value: String(value) })}</>;
}

export function PieceWords({ pieces }: { readonly pieces: Pieces }) {
  return pieces.map((piece, index) => {
    const key = `${index} ${JSON.stringify(piece)}`;
    if (typeof piece === 'string') return <Fragment key={key}>{piece}</Fragment>;
    if ('name' in piece) return <strong key={key}>{piece.name}</strong>;
    return <ComparedValue key={key} compared={piece.compared} value={piece.value} />;
  });
}
