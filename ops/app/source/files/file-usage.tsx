/** The items that use a file, as far as the caller may read them. */
import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { Link as RouterLink } from 'react-router-dom';
import { client } from '../data/client.ts';
import { keyFields, keyOf } from '../data/item-key.ts';
import { relationsQuery, useCollections, useFields, useRights } from '../data/queries.ts';
import { itemPath, listPath } from '../data/route-of.ts';
import type { Item } from '../data/schema-types.ts';
import { useTemplate } from '../display/representation.ts';
import { fillTemplate, templatePaths } from '../display/template.ts';
import { Part } from '../shell/part.tsx';
import { collectionName, fieldName } from '../translation/names.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { type Usage, usagesOf } from './usages.ts';

/** Items that are named for each usage. */
const NAMED = 5;

const SETTINGS = 'system_settings';

function UsageRow({ usage, file }: { readonly usage: Usage; readonly file: string }) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const { collection: name, field, filterOf } = usage;
  const collection = useCollections().get(name);
  const fields = useFields(name);
  const template = useTemplate(name);
  const filter = filterOf(file);
  const paths = [...new Set([...keyFields(fields), ...templatePaths(template)])];
  const found = useQuery({
    queryKey: ['items', name, 'list', 'usage', filter, paths],
    queryFn: ({ signal }) =>
      client
        .items(name)
        .page({ fields: paths, filter, limit: NAMED, meta: ['filter_count'] }, { signal }),
    enabled: fields.length > 0 && template !== '',
  });
  const count = found.data?.meta.filter_count ?? 0;
  if (collection === undefined || count === 0) return null;
  const described = fields.find((one) => one.field === field);
  const called = [
    collectionName(collection, locale),
    described === undefined ? field : fieldName(described, locale),
  ].join(' · ');
  const all = `${listPath(name)}?filter=${encodeURIComponent(JSON.stringify(filter))}`;
  return (
    <Box component="li">
      <Typography sx={{ fontWeight: 600 }}>
        {called}
        <Typography component="span" color="textSecondary" sx={{ ml: 1 }}>
          {translate('files.items', { smart_count: count })}
        </Typography>
      </Typography>
      <Box component="ul" sx={{ m: 0, mt: 0.5, pl: 2.5 }}>
        {(found.data?.data ?? []).map((item) => {
          const key = keyOf(fields, item);
          if (key === null) return null;
          return (
            <li key={key}>
              <Link component={RouterLink} to={itemPath(name, key)}>
                {fillTemplate(template, item) || key}
              </Link>
            </li>
          );
        })}
      </Box>
      {count > NAMED && (
        <Link component={RouterLink} to={all}>
          {translate('files.allItems', { smart_count: count })}
        </Link>
      )}
    </Box>
  );
}

/** The settings are no list of items: one of them is this file, or none. */
function SettingRow({ field, file }: { readonly field: string; readonly file: string }) {
  const translate = useTranslate();
  const { data } = useQuery({
    queryKey: ['items', SETTINGS, 'one', [field]],
    queryFn: ({ signal }): Promise<Item> =>
      client.request('GET', '/settings', { query: { fields: [field] }, signal }),
  });
  if (data?.[field] !== file) return null;
  return (
    <li>
      <Link component={RouterLink} to="/settings">
        {translate('settings.title')} · {translate(`settings.field.${field}`, { _: field })}
      </Link>
    </li>
  );
}

export function FileUsage({ id }: { readonly id: string }) {
  const translate = useTranslate();
  const rights = useRights();
  const relations = useQuery(relationsQuery).data ?? [];
  const usages = usagesOf(relations, rights);
  return (
    <Part title={translate('files.usage')} help={translate('files.usageHelp')}>
      <Box
        component="ul"
        sx={{
          ...{ listStyle: 'none', m: 0, p: 0, display: 'grid', gap: 2 },
          // Said when none of the rows has anything to show.
          '&:not(:empty) + p': { display: 'none' },
        }}
      >
        {usages.map((usage) => {
          const key = `${usage.collection} ${usage.field}`;
          return usage.collection === SETTINGS ? (
            <SettingRow key={key} field={usage.field} file={id} />
          ) : (
            <UsageRow key={key} usage={usage} file={id} />
          );
        })}
      </Box>
      <Typography color="textSecondary">{translate('files.unused')}</Typography>
    </Part>
  );
}
