/** Chooses an item of a collection by what it is called: one types, and the server searches. */
import Autocomplete from '@mui/material/Autocomplete';
import type { SxProps, Theme } from '@mui/material/styles';
import TextField from '@mui/material/TextField';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { client } from '../data/client.ts';
import { keyFields, keyFromText, keyOf } from '../data/item-key.ts';
import { useFields } from '../data/queries.ts';
import type { Item } from '../data/schema-types.ts';
import { useSame } from '../data/use-same.ts';
import { useTranslate } from '../translation/use-translate.ts';
import { fittingOptions } from './fitting-options.ts';
import { useTemplate } from './representation.ts';
import { fillTemplate, templatePaths } from './template.ts';
import { useLateName } from './use-late-name.ts';

export interface ItemPickerProps {
  readonly collection: string;
  /** The key of an item, or null. */
  readonly value: unknown;
  readonly onChange: (key: unknown) => void;
  readonly label: string;
  readonly sx?: SxProps<Theme>;
}

/** How many items are offered at once; who wants another one types more. */
const OFFERED = 20;

export function ItemPicker({ collection, value, onChange, label, sx }: ItemPickerProps) {
  const translate = useTranslate();
  const fields = useFields(collection);
  const template = useTemplate(collection);
  const [typed, setTyped] = useState<string | null>(null);
  const search = useDeferredValue((typed ?? '').trim());
  const [key = ''] = keyFields(fields);
  const paths = [...new Set([key, ...templatePaths(template)])];
  const found = useQuery({
    queryKey: ['items', collection, 'list', 'picker', paths, search],
    queryFn: ({ signal }) =>
      client
        .items(collection)
        .list({ fields: paths, limit: OFFERED, ...(search !== '' && { search }) }, { signal }),
    enabled: key !== '',
    placeholderData: keepPreviousData,
  });
  const hasValue = value !== null && value !== undefined && value !== '';
  const current = useQuery({
    queryKey: ['items', collection, 'one', 'picker', paths, value],
    queryFn: ({ signal }) =>
      client.items(collection).get(keyFromText(String(value)), { fields: paths }, { signal }),
    enabled: key !== '' && hasValue,
  });
  const nameOf = (item: Item) => fillTemplate(template, item) || String(item[key]);
  const isAnswered = !found.isPlaceholderData && search === (typed ?? '').trim();
  const options = fittingOptions(found.data ?? [], nameOf, typed, isAnswered);
  const chosen = useSame(hasValue ? (current.data ?? { [key]: value }) : null);
  const around = useLateName(current.data !== undefined, typed !== null);
  return (
    <Autocomplete
      ref={around}
      autoHighlight
      options={options}
      value={chosen}
      inputValue={typed ?? (chosen === null ? '' : nameOf(chosen))}
      onChange={(_, item) => onChange(item === null ? null : item[key])}
      onInputChange={(_, text, reason) => {
        // A name that is read again takes nothing back of what is typed.
        if (reason === 'input') setTyped(text);
        else if (reason !== 'reset') setTyped(null);
      }}
      filterOptions={(all) => all}
      getOptionLabel={nameOf}
      getOptionKey={(item) => keyOf(fields, item) ?? nameOf(item)}
      isOptionEqualToValue={(one, other) => String(one[key]) === String(other[key])}
      loading={found.isFetching}
      noOptionsText={translate('list.nothingFits')}
      {...(sx !== undefined && { sx })}
      renderInput={(parameters) => <TextField {...parameters} label={label} />}
    />
  );
}
