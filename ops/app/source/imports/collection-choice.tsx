/** Chooses the collection that a file goes to, among those that the caller may fill. */
import Autocomplete from '@mui/material/Autocomplete';
import TextField from '@mui/material/TextField';
import { useLocaleState, useTranslate } from 'ra-core';
import { useMemo } from 'react';
import { useCollections, useRights } from '../data/queries.ts';
import { collectionName } from '../translation/names.ts';
import { isImportable } from './mapping.ts';

export interface CollectionChoiceProps {
  /** Empty for none. */
  readonly value: string;
  readonly onChange: (collection: string) => void;
}

export function CollectionChoice({ value, onChange }: CollectionChoiceProps) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const collections = useCollections();
  const rights = useRights();
  const options = useMemo(() => {
    const { compare } = new Intl.Collator(locale, { numeric: true });
    return [...collections.values()]
      .filter((collection) => isImportable(collection, rights))
      .map((one) => ({ name: one.collection, label: collectionName(one, locale) }))
      .toSorted((a, b) => compare(a.label, b.label));
  }, [collections, rights, locale]);
  return (
    <Autocomplete
      options={options}
      value={options.find(({ name }) => name === value) ?? null}
      onChange={(_, chosen) => onChange(chosen?.name ?? '')}
      getOptionKey={({ name }) => name}
      isOptionEqualToValue={(one, other) => one.name === other.name}
      noOptionsText={translate('imports.noCollection')}
      sx={{ maxWidth: 420 }}
      renderInput={(parameters) => (
        <TextField {...parameters} label={translate('imports.collection')} />
      )}
    />
  );
}
