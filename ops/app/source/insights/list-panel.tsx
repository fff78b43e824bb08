/** The first items of a collection, as links to their forms. */
import Box from '@mui/material/Box';
import List from '@mui/material/List';
import ListItem from '@mui/material/ListItem';
import ListItemButton from '@mui/material/ListItemButton';
import ListItemText from '@mui/material/ListItemText';
import Typography from '@mui/material/Typography';
import { Link } from 'react-router-dom';
import { keyFields, keyOf } from '../data/item-key.ts';
import { useFields } from '../data/queries.ts';
import { itemPath } from '../data/route-of.ts';
import type { Item } from '../data/schema-types.ts';
import { useTemplate } from '../display/representation.ts';
import { fillTemplate, templatePaths } from '../display/template.ts';
import { Value } from '../display/value.tsx';
import { Loading } from '../shell/loading.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { PanelFrame } from './panel-frame.tsx';
import type { KindProps } from './panel-kind.ts';
import { PanelFailure } from './panel-note.tsx';
import { listQuery } from './panel-query.ts';
import { useRows } from './use-panel.ts';

const NO_ITEMS: readonly Item[] = [];

export function ListPanel({ title, options, context, height, menuOf }: KindProps) {
  const translate = useTranslate();
  const { collection, sortField } = options;
  const { reading } = context;
  const fields = useFields(collection);
  const template = useTemplate(collection);
  const paths = [...keyFields(fields), ...templatePaths(template)];
  const rows = useRows(
    collection,
    reading === null || template === '' ? null : listQuery(options, reading, paths),
  );
  const items = rows.data ?? NO_ITEMS;
  const sorted = context.field(sortField);
  const shown = title ?? translate('insights.items');
  const nameOf = (item: Item) =>
    fillTemplate(template, item) || (keyOf(fields, item) ?? translate('insights.noValue'));
  const table =
    rows.data === undefined
      ? null
      : {
          heads: [shown, ...(sorted === undefined ? [] : [context.nameOf(sortField)])],
          rows: items.map((item) => [
            nameOf(item),
            ...(sorted === undefined ? [] : [String(item[sortField] ?? '')]),
          ]),
        };
  const textOf = (item: Item) => (
    <>
      <ListItemText
        primary={nameOf(item)}
        slotProps={{ primary: { noWrap: true, variant: 'body2' } }}
      />
      {sorted !== undefined && (
        <Box sx={{ color: 'text.secondary', fontSize: 13, flexShrink: 0 }}>
          <Value field={sorted} value={item[sortField]} />
        </Box>
      )}
    </>
  );
  return (
    <PanelFrame title={shown} height={height} actions={menuOf(shown, table)}>
      {rows.isError ? (
        <PanelFailure error={rows.error} />
      ) : rows.data === undefined ? (
        <Loading />
      ) : items.length === 0 ? (
        <Typography color="textSecondary">{translate('chart.empty')}</Typography>
      ) : (
        <Box sx={{ height: '100%', overflow: 'auto' }} tabIndex={0}>
          <List dense disablePadding aria-label={shown}>
            {items.map((item, place) => {
              const key = keyOf(fields, item);
              return (
                <ListItem key={key ?? place} disablePadding divider>
                  {key === null ? (
                    <Box sx={{ display: 'flex', gap: 2, px: 1, width: 1 }}>{textOf(item)}</Box>
                  ) : (
                    <ListItemButton
                      component={Link}
                      to={itemPath(collection, key)}
                      sx={{ gap: 2, px: 1, borderRadius: 1 }}
                    >
                      {textOf(item)}
                    </ListItemButton>
                  )}
                </ListItem>
              );
            })}
          </List>
        </Box>
      )}
    </PanelFrame>
  );
}
