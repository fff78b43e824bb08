/** Chooses the collection of a panel, among those that one may read. */
import Autocomplete from '@mui/material/Autocomplete';
import TextField from '@mui/material/TextField';
import { useMemo } from 'react';
import { useCollections, useRights } from '../data/queries.ts';
import { may } from '../data/rights.ts';
import { useSame } from '../data/use-same.ts';
import { collectionName } from '../translation/names.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';

export interface CollectionFieldProps {
  /** Empty for none. */
  readonly value: string;
  readonly onChange: (collection: string) => void;
}

export function CollectionField({ value, onChange }: CollectionFieldProps) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const collections = useCollections();
  const rights = useRights();
  const options = useMemo(() => {
    const { compare } = new Intl.Collator(locale, { numeric: true });
    return [...collections.values()]
      .filter(({ collection, schema }) => schema !== null && may(rights, collection, 'read'))
      .map((one) => ({
        name: one.collection,
        label: collectionName(one, locale),
        // Those of Sluice itself come last.
        isOwn: one.meta?.system !== true,
      }))
      .toSorted((a, b) => Number(b.isOwn) - Number(a.isOwn) || compare(a.label, b.label));
  }, [collections, rights, locale]);
  const known = options.find(({ name }) => name === value);
  const chosen = useSame(
    value === '' ? null : (known ?? { name: value, label: value, isOwn: true }),
  );
  return (
    <Autocomplete
      autoHighlight
      options={options}
      value={chosen}
      onChange={(_, option) => onChange(option?.name ?? '')}
      getOptionKey={({ name }) => name}
      isOptionEqualToValue={(one, other) => one.name === other.name}
      renderInput={(parameters) => (
        <TextField {...parameters} required label={translate('insights.collection')} />
      )}
    />
  );
}
