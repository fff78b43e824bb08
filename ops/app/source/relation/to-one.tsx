/** The one item that a field refers to: searched, created, or edited in a drawer. */
import Autocomplete from '@mui/material/Autocomplete';
import Box from '@mui/material/Box';
import IconButton from '@mui/material/IconButton';
import TextField from '@mui/material/TextField';
import Tooltip from '@mui/material/Tooltip';
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { client } from '../data/client.ts';
import { useCollections, useFields, useRights } from '../data/queries.ts';
import { may } from '../data/rights.ts';
import type { Field, Filter, Item } from '../data/schema-types.ts';
import { isItem, textOption } from '../data/values.ts';
import { fittingOptions } from '../display/fitting-options.ts';
import { useTemplate } from '../display/representation.ts';
import { fillTemplate } from '../display/template.ts';
import { useLateName } from '../display/use-late-name.ts';
import type { InterfaceProps } from '../interface/interface.ts';
import { noteOf } from '../interface/note.ts';
import { Icon } from '../theme/icon.tsx';
import { collectionName } from '../translation/names.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { ItemDrawer } from './item-drawer.tsx';
import { type KeyValue, keyMembers, keyValueOf } from './list-change.ts';
import { shownPaths, useItemName } from './related.ts';

const AT_MOST = 20;
const NONE: ReadonlySet<string> = new Set();

/** The filter of the options of a field, which says what can be chosen. */
export function filterOption({ meta }: Field): Filter | null {
  const filter = meta?.options?.filter;
  return isItem(filter) && Object.keys(filter).length > 0 ? filter : null;
}

export interface Linked {
  /** Null for an item that is being created. */
  readonly key: KeyValue | null;
  /** What is changed in it, or what the new one has. */
  readonly changes: Item;
}

/** What a value of the field stands for; null for nothing. */
export function linkedOf(fields: readonly Field[], value: unknown): Linked | null {
  if (value === null || value === undefined || value === '') return null;
  if (!isItem(value)) {
    const isKey = typeof value === 'string' || typeof value === 'number';
    return { key: isKey ? value : String(value), changes: {} };
  }
  const key = keyValueOf(fields, value);
  const members = new Set(Object.keys(key === null ? {} : keyMembers(fields, value)));
  const changes = Object.entries(value).filter(([name]) => !members.has(name));
  return { key, changes: Object.fromEntries(changes) };
}

interface Option {
  readonly key: KeyValue;
  readonly name: string;
}

export function ToOne(props: InterfaceProps) {
  const { field, label, value, onChange, readOnly, required, error, faults = [], relation } = props;
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const related = relation?.kind === 'm2o' ? relation.related : '';
  const rights = useRights();
  const fields = useFields(related);
  const general = useTemplate(related);
  const own = textOption(field.meta?.options, 'template');
  const template = own ?? general;
  const collections = useCollections();
  const [typed, setTyped] = useState<string | null>(null);
  const [open, setOpen] = useState(false);
  const [drawer, setDrawer] = useState<'edit' | 'create' | null>(null);
  const asked = useDeferredValue(typed ?? '');
  const linked = linkedOf(fields, value);
  const isNew = linked !== null && linked.key === null;
  const known = collections.get(related);
  const relatedName = known === undefined ? related : collectionName(known, locale);
  const name = useItemName(related, linked?.key ?? null, linked?.changes ?? null, own);
  const paths = shownPaths(related, fields, template);
  const filter = filterOption(field);
  const found = useQuery({
    queryKey: ['items', related, 'list', 'options', paths, asked, filter],
    queryFn: ({ signal }): Promise<Item[]> =>
      client.items(related).list(
        {
          fields: paths,
          limit: AT_MOST,
          ...(asked.trim() !== '' && { search: asked.trim() }),
          ...(filter !== null && { filter }),
        },
        { signal },
      ),
    enabled: open && fields.length > 0,
    placeholderData: (before) => before,
  });
  const options = (found.data ?? []).flatMap((item): Option[] => {
    const key = keyValueOf(fields, item);
    return key === null ? [] : [{ key, name: fillTemplate(template, item) || String(key) }];
  });
  const isAnswered = !found.isPlaceholderData && asked === (typed ?? '');
  const shown = isNew
    ? translate('relation.newNamed', { name: name || relatedName })
    : (name ?? '…');
  const around = useLateName(name !== null, typed !== null);
  const chosen: Option | null = linked === null ? null : { key: linked.key ?? '', name: shown };
  const mayCreate = !readOnly && may(rights, related, 'create');
  const apply = (changes: Item) => {
    const key = drawer === 'edit' ? (linked?.key ?? null) : null;
    if (key === null) onChange(changes);
    else if (Object.keys(changes).length === 0) onChange(key);
    else onChange({ ...keyOfParts(fields, key), ...changes });
    setDrawer(null);
  };
  return (
    <Box sx={{ display: 'flex', gap: 0.5, alignItems: 'flex-start' }}>
      <Autocomplete<Option, false, boolean>
        ref={around}
        autoHighlight
        sx={{ flex: 1, minWidth: 0 }}
        open={open}
        onOpen={() => setOpen(true)}
        onClose={() => setOpen(false)}
        readOnly={readOnly}
        disableClearable={required && linked === null}
        options={fittingOptions(options, (option) => option.name, typed, isAnswered)}
        value={chosen}
        loading={found.isFetching}
        noOptionsText={translate('relation.nothingToPick')}
        filterOptions={(all) => all}
        getOptionKey={(option) => JSON.stringify(option.key)}
        getOptionLabel={(option) => option.name}
        isOptionEqualToValue={(option, other) => String(option.key) === String(other.key)}
        onChange={(_, option) => onChange(option === null ? null : option.key)}
        inputValue={typed ?? chosen?.name ?? ''}
        onInputChange={(_, text, reason) => {
          // A name that is read again takes nothing back of what is typed.
          if (reason === 'input') setTyped(text);
          else if (reason !== 'reset') setTyped(null);
        }}
        renderInput={(params) => (
          <TextField
            {...params}
            label={label}
            required={required}
            error={error !== null || faults.some(({ path }) => path.length > 0)}
            helperText={
              error ?? faults.find(({ path }) => path.length > 0)?.message ?? noteOf(field)
            }
          />
        )}
      />
      {linked !== null && (
        <Tooltip title={translate('relation.editItem', { name: shown })}>
          <IconButton
            aria-label={translate('relation.editItem', { name: shown })}
            onClick={() => setDrawer('edit')}
          >
            <Icon name="edit" fontSize="small" />
          </IconButton>
        </Tooltip>
      )}
      {mayCreate && (
        <Tooltip title={translate('relation.createItem', { name: relatedName })}>
          <IconButton
            aria-label={translate('relation.createItem', { name: relatedName })}
            onClick={() => setDrawer('create')}
          >
            <Icon name="add" fontSize="small" />
          </IconButton>
        </Tooltip>
      )}
      {drawer !== null && (
        <ItemDrawer
          title={
            drawer === 'edit'
              ? `${relatedName}: ${shown}`
              : translate('form.newTitle', { name: relatedName })
          }
          parts={[
            {
              collection: related,
              key: drawer === 'edit' ? (linked?.key ?? null) : null,
              changes: drawer === 'edit' ? (linked?.changes ?? {}) : {},
              omit: NONE,
              faults,
            },
          ]}
          readOnly={readOnly || (!isNew && drawer === 'edit' && !may(rights, related, 'update'))}
          onApply={([changes = {}]) => apply(changes)}
          onClose={() => setDrawer(null)}
        />
      )}
    </Box>
  );
}

/** The members that a key stands for. */
export function keyOfParts(fields: readonly Field[], key: KeyValue): Item {
  const values = [key].flat();
  const names = fields.filter(({ schema }) => schema?.is_primary_key).map(({ field }) => field);
  return Object.fromEntries(names.map((name, index) => [name, values[index]]));
}
