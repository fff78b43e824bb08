/** Chooses the collection that a file goes to, among those that the caller may fill. */
import Autocomplete, { createFilterOptions } from '@mui/material/Autocomplete';
import TextField from '@mui/material/TextField';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { collectionsQuery, useIsAdministrator, useRights } from '../data/queries.ts';
import { isImportable } from '../data/rights.ts';
import { useSame } from '../data/use-same.ts';
import { collectionName } from '../translation/names.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { technicalName } from './mapping.ts';

export interface CollectionChoiceProps {
  /** Empty for none. */
  readonly value: string;
  readonly onChange: (collection: string) => void;
}

interface Option {
  readonly name: string;
  readonly label: string;
}

const match = createFilterOptions<Option>();

export function CollectionChoice({ value, onChange }: CollectionChoiceProps) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const { data: known, isPending } = useQuery(collectionsQuery);
  const rights = useRights();
  const administrator = useIsAdministrator();
  const options = useMemo(() => {
    const { compare } = new Intl.Collator(locale, { numeric: true });
    return [...(known?.values() ?? [])]
      .filter((collection) => isImportable(collection, rights))
      .map((one) => ({ name: one.collection, label: collectionName(one, locale) }))
      .toSorted((a, b) => compare(a.label, b.label));
  }, [known, rights, locale]);
  // A collection that does not exist is made with the types that the file has.
  const made = (name: string) => ({ name, label: translate('imports.newCollection', { name }) });
  const unknown = (name: string) => (isPending ? { name, label: name } : made(name));
  const chosen = useSame(
    value === '' ? null : (options.find(({ name }) => name === value) ?? unknown(value)),
  );
  const isFree = (name: string) =>
    administrator && name !== '' && known !== undefined && !known.has(name);
  return (
    <Autocomplete
      autoHighlight
      options={options}
      loading={isPending}
      loadingText={translate('shell.loading')}
      value={chosen}
      filterOptions={(all, state) => {
        const found = match(all, state);
        const name = technicalName(state.inputValue);
        return isFree(name) ? [...found, made(name)] : found;
      }}
      onChange={(_, option) => onChange(option?.name ?? '')}
      // The name of a new collection counts without Enter, too, unless it may be the beginning of another.
      onBlur={({ target }) => {
        const typed = 'value' in target && typeof target.value === 'string' ? target.value : '';
        const state = { inputValue: typed, getOptionLabel: ({ label }: Option) => label };
        const name = technicalName(typed);
        if (typed === chosen?.label || match(options, state).length > 0 || !isFree(name)) return;
        onChange(name);
      }}
      getOptionKey={({ name }) => name}
      isOptionEqualToValue={(one, other) => one.name === other.name}
      noOptionsText={translate('imports.noCollection')}
      sx={{ maxWidth: 420 }}
      renderInput={(parameters) => (
        <TextField
          {...parameters}
          label={translate('imports.collection')}
          helperText={administrator ? translate('imports.newCollectionHelp') : undefined}
        />
      )}
    />
  );
}
