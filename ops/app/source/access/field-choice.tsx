/** Chooses fields of a collection by their names. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import TextField from '@mui/material/TextField';
import { useState } from 'react';
import type { Field } from '../data/schema-types.ts';
import { fieldName } from '../translation/names.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';

/** So many fields can be found without a search. */
const FEW = 12;

export interface FieldChoiceProps {
  readonly fields: readonly Field[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

export function FieldChoice({ fields, chosen, onChange }: FieldChoiceProps) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const [search, setSearch] = useState('');
  const known = fields.map((field) => ({ name: field.field, label: fieldName(field, locale) }));
  // A field that was removed can be taken back still.
  const gone = chosen
    .filter((name) => !fields.some(({ field }) => field === name))
    .map((name) => ({ name, label: name }));
  const all = [...known, ...gone];
  const wanted = search.trim().toLowerCase();
  const shown = all.filter(
    ({ name, label }) =>
      name.toLowerCase().includes(wanted) || label.toLowerCase().includes(wanted),
  );
  // In the order of the form, so that what is taken back is no change.
  const choose = (names: ReadonlySet<string>) =>
    onChange(all.map(({ name }) => name).filter((name) => names.has(name)));
  return (
    <Box sx={{ display: 'grid', gap: 1 }}>
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, flexWrap: 'wrap' }}>
        {all.length > FEW && (
          <TextField
            type="search"
            label={translate('access.searchFields')}
            value={search}
            onChange={({ target }) => setSearch(target.value)}
            sx={{ maxWidth: 240 }}
          />
        )}
        <Button size="small" onClick={() => choose(new Set(all.map(({ name }) => name)))}>
          {translate('access.chooseAll')}
        </Button>
        <Button size="small" onClick={() => choose(new Set())}>
          {translate('access.chooseNone')}
        </Button>
      </Box>
      <Box
        role="group"
        aria-label={translate('access.fields')}
        sx={{
          display: 'grid',
          gridTemplateColumns: 'repeat(auto-fill, minmax(200px, 1fr))',
          maxHeight: 320,
          overflowY: 'auto',
          border: 1,
          borderColor: 'divider',
          borderRadius: 1,
          px: 1.5,
          py: 0.5,
        }}
      >
        {shown.map(({ name, label }) => (
          <FormControlLabel
            key={name}
            control={
              <Checkbox
                size="small"
                checked={chosen.includes(name)}
                onChange={(_, checked) => {
                  const next = new Set(chosen);
                  if (checked) next.add(name);
                  else next.delete(name);
                  choose(next);
                }}
              />
            }
            label={label}
            slotProps={{ typography: { noWrap: true } }}
          />
        ))}
      </Box>
    </Box>
  );
}
