/** Takes a snapshot as a file: of the whole data model, or of some collections. */
import Autocomplete from '@mui/material/Autocomplete';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import TextField from '@mui/material/TextField';
import { useMemo, useState } from 'react';
import { client } from '../data/client.ts';
import { useCollections } from '../data/queries.ts';
import { Part } from '../shell/part.tsx';
import { Icon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { isSystem } from './collection-rows.ts';

const FORMATS = ['yaml', 'json'] as const;

export function TakeSnapshot() {
  const translate = useTranslate();
  const collections = useCollections();
  const [chosen, setChosen] = useState<string[]>([]);
  const options = useMemo(
    () =>
      [...collections.values()]
        .filter((collection) => !isSystem(collection))
        .map(({ collection }) => collection)
        .toSorted(),
    [collections],
  );
  const addressOf = (format: string) => {
    const parameters = new URLSearchParams({ export: format });
    if (chosen.length > 0) parameters.set('includeCollections', chosen.join(','));
    return `${client.url}/schema/snapshot?${parameters}`;
  };
  return (
    <Part title={translate('model.takeSnapshot')} help={translate('model.takeSnapshotHelp')}>
      <Autocomplete
        multiple
        autoHighlight
        options={options}
        value={chosen}
        onChange={(_, next) => setChosen(next)}
        filterSelectedOptions
        disableCloseOnSelect
        noOptionsText={translate('model.nothingFound')}
        renderInput={(params) => (
          <TextField
            {...params}
            label={translate('model.onlyThese')}
            helperText={translate('model.onlyTheseHelp')}
          />
        )}
      />
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>
        {FORMATS.map((format) => (
          <Button
            key={format}
            component="a"
            variant="outlined"
            href={addressOf(format)}
            download
            startIcon={<Icon name="download" />}
          >
            {translate('model.downloadAs', { format: format.toUpperCase() })}
          </Button>
        ))}
      </Box>
    </Part>
  );
}
