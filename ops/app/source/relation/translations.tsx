/** The texts of an item in several languages: a language is chosen, and its texts are below. */
import Box from '@mui/material/Box';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import { useQuery } from '@tanstack/react-query';
import { useContext, useState } from 'react';
import { client } from '../data/client.ts';
import { faultsBelow } from '../data/faults.ts';
import { keyFromText } from '../data/item-key.ts';
import type { Item } from '../data/schema-types.ts';
import { isItem, sameValue, textOption } from '../data/values.ts';
import { useTemplate } from '../display/representation.ts';
import { fillTemplate } from '../display/template.ts';
import { ControlFrame } from '../interface/control-frame.tsx';
import { FieldsContext } from '../interface/fields-context.ts';
import type { InterfaceProps } from '../interface/interface.ts';
import { Loading } from '../shell/loading.tsx';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import {
  type KeyValue,
  keyMembers,
  keyValueOf,
  readChange,
  withoutUpdate,
  withUpdate,
  writeChange,
} from './list-change.ts';
import { type ManyKind, useMany } from './many.ts';
import { columnsToRead, shownPaths } from './related.ts';

type Junction = Extract<ManyKind, { readonly kind: 'm2m' }>;

const NOTHING: Item = {};

function Texts(props: InterfaceProps & { readonly kind: Junction }) {
  const { kind, field, value, onChange, readOnly, itemKey = null, faults = [], label } = props;
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const Fields = useContext(FieldsContext);
  const many = useMany(kind, field);
  const languageFields = many.targetFields.get(kind.related) ?? [];
  const template = useTemplate(kind.related);
  const { junctionField } = kind;
  const languages = useQuery({
    queryKey: ['items', kind.related, 'list', 'languages', template],
    queryFn: ({ signal }): Promise<Item[]> =>
      client
        .items(kind.related)
        .list(
          { fields: shownPaths(kind.related, languageFields, template), limit: -1 },
          { signal },
        ),
    enabled: languageFields.length > 0 && template !== '',
  });
  const paths = columnsToRead(many.fields);
  const stored = useQuery({
    queryKey: ['items', field.collection, 'rows', itemKey, field.field, 'texts', paths],
    queryFn: async ({ signal }): Promise<Item[]> => {
      const item = await client.items(field.collection).get(
        keyFromText(itemKey ?? ''),
        {
          fields: paths.map((path) => `${field.field}.${path}`),
          deep: { [field.field]: { _limit: -1 } },
        },
        { signal },
      );
      const rows = item[field.field];
      return Array.isArray(rows) ? rows.filter(isItem) : [];
    },
    enabled: itemKey !== null && many.fields.length > 0,
  });
  const codes = (languages.data ?? []).flatMap((item) => {
    const key = keyValueOf(languageFields, item);
    return key === null ? [] : [{ key, name: fillTemplate(template, item) || String(key) }];
  });
  const wished = textOption(field.meta?.options, 'defaultLanguage') ?? locale;
  const first =
    codes.find(({ key }) => String(key) === wished) ??
    codes.find(({ key }) => String(key).toLowerCase().startsWith(locale)) ??
    codes[0];
  const [chosen, setChosen] = useState<KeyValue | null>(null);
  const language = chosen ?? first?.key ?? null;
  if (Fields === null || languages.isPending || (itemKey !== null && stored.isPending)) {
    return <Loading />;
  }
  const change = readChange(value);
  const codeOf = (row: Item) => {
    const code = row[junctionField];
    return isItem(code) ? keyValueOf(languageFields, code) : code;
  };
  const row = (stored.data ?? []).find((item) => sameValue(codeOf(item), language)) ?? null;
  const key = row === null ? null : keyValueOf(many.fields, row);
  const created = change.create.findIndex((item) => sameValue(codeOf(item), language));
  const updated = change.update.findIndex((item) => sameValue(keyValueOf(many.fields, item), key));
  const written = (row === null ? change.create[created] : change.update[updated]) ?? NOTHING;
  const hidden = new Set([...many.implied, ...Object.keys(keyMembers(many.fields, NOTHING))]);
  const changes = Object.fromEntries(Object.entries(written).filter(([name]) => !hidden.has(name)));
  const set = (name: string, next: unknown) => {
    const { [name]: _, ...others } = changes;
    const isSame = next === undefined || sameValue(next, row?.[name]);
    const members = isSame ? others : { ...others, [name]: next };
    const isEmpty = Object.keys(members).length === 0;
    if (row !== null && key !== null) {
      const rest = withoutUpdate(change, many.fields, key);
      onChange(writeChange(isEmpty ? rest : withUpdate(rest, many.fields, row, members)));
      return;
    }
    const rest = change.create.filter((_, index) => index !== created);
    const create = isEmpty ? rest : [...rest, { [junctionField]: language, ...members }];
    onChange(writeChange({ ...change, create }));
  };
  const place = row === null ? ['create', created] : ['update', updated];
  return (
    <ControlFrame {...props}>
      <Box
        sx={{ border: 1, borderColor: 'divider', borderRadius: 1, p: 2, display: 'grid', gap: 2 }}
      >
        <TextField
          select
          label={translate('relation.language')}
          value={language === null ? '' : String(language)}
          onChange={({ target }) =>
            setChosen(codes.find((code) => String(code.key) === target.value)?.key ?? null)
          }
          sx={{ maxWidth: 320 }}
          slotProps={{
            select: {
              SelectDisplayProps: { 'aria-label': `${label}: ${translate('relation.language')}` },
            },
          }}
        >
          {codes.map((code) => (
            <MenuItem key={String(code.key)} value={String(code.key)}>
              {code.name}
            </MenuItem>
          ))}
        </TextField>
        <Fields
          key={String(language)}
          collection={many.rows}
          fields={many.fields}
          item={row ?? NOTHING}
          changes={changes}
          onChange={set}
          itemKey={key === null ? null : [key].flat().map(encodeURIComponent).join(',')}
          action={row === null ? 'create' : 'update'}
          faults={faultsBelow(faults, ...place)}
          omit={hidden}
          readOnly={readOnly}
        />
      </Box>
    </ControlFrame>
  );
}

export function Translations(props: InterfaceProps) {
  return props.relation?.kind === 'm2m' ? <Texts {...props} kind={props.relation} /> : null;
}
