/** A map: items at the positions that they have, and a list of those in the area that is seen. */
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import FormControlLabel from '@mui/material/FormControlLabel';
import Paper from '@mui/material/Paper';
import Switch from '@mui/material/Switch';
import Typography from '@mui/material/Typography';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useId, useMemo, useRef, useState } from 'react';
import { Link } from 'react-router-dom';
import { client } from '../data/client.ts';
import { keyOf } from '../data/item-key.ts';
import { itemPath } from '../data/route-of.ts';
import type { Item } from '../data/schema-types.ts';
import { formatNumber } from '../display/format.ts';
import { Failure } from '../shell/failure.tsx';
import { Loading } from '../shell/loading.tsx';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { FieldChoice, ViewOptions } from './field-choice.tsx';
import { chosenField, placeOf } from './layout.ts';
import {
  type Area,
  boundsOf,
  fieldsOfPlace,
  filterOfArea,
  filterOfPlace,
  isWithin,
  type Place,
  type Position,
  positionOf,
} from './points.ts';
import { allOf, fieldsToRead, nameOf, queryOf, type ViewProps } from './view.ts';
import { WorldMap } from './world-map.tsx';

/** Points that are read at once. */
const MOST = 10_000;
/** Items in the list below the map. */
const LISTED = 50;

interface Located {
  readonly key: string;
  readonly item: Item;
  readonly position: Position;
}

export default function MapView(view: ViewProps) {
  const { collection, fields, candidates, options, onOptions, asked } = view;
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const list = useId();
  const name = collection.collection;
  const [seen, setSeen] = useState<Area | null>(null);
  const [follows, setFollows] = useState(false);
  const [canDraw, setCanDraw] = useState(true);
  const place = placeOf(chosenField(candidates, options.geometryField), view.possible);
  const area = follows ? seen : null;
  const filter =
    place && allOf(asked.filter, area ? filterOfArea(place, area) : filterOfPlace(place));
  const query = {
    ...queryOf({ ...asked, sort: [] }, filter),
    fields: fieldsToRead(view, [], place === null ? [] : fieldsOfPlace(place)),
    limit: MOST,
  };
  const found = useQuery({
    queryKey: ['items', name, 'map', query],
    queryFn: ({ signal }) =>
      client.items(name).page({ ...query, meta: ['filter_count'] }, { signal }),
    placeholderData: keepPreviousData,
    enabled: place !== null,
  });
  const placeText = JSON.stringify(place);
  const located = useMemo(() => {
    const known: Place | null = JSON.parse(placeText);
    return (found.data?.data ?? []).flatMap((item): Located[] => {
      const position = known && positionOf(known, item);
      const key = keyOf(fields, item);
      return position === null || key === null ? [] : [{ key, item, position }];
    });
  }, [found.data, fields, placeText]);
  // The map begins where the items are, and stays where the user has moved it.
  const bounds = useRef<Area | null>(null);
  bounds.current ??= boundsOf(located.map(({ position }) => position));
  const count = found.data?.meta.filter_count ?? 0;
  const isPart = count > MOST;
  // Then zooming in shows the others.
  useEffect(() => {
    if (isPart) setFollows(true);
  }, [isPart]);
  if (place === null) return null;
  if (found.isError) return <Failure error={found.error} retry={() => found.refetch()} />;
  if (found.isPending) return <Loading />;
  const here = seen === null ? located : located.filter((one) => isWithin(seen, one.position));
  const pathOf = (key: string) => itemPath(name, key);
  return (
    <>
      <ViewOptions>
        <FieldChoice
          label={translate('views.position')}
          candidates={candidates}
          value={chosenField(candidates, options.geometryField)}
          onChange={(geometryField) => onOptions({ ...options, geometryField })}
        />
        <FormControlLabel
          control={
            <Switch
              size="small"
              checked={follows}
              onChange={({ target }) => setFollows(target.checked)}
            />
          }
          label={translate('views.followArea')}
          sx={{ m: 0, gap: 1 }}
        />
        <Typography variant="body2" color="textSecondary" role="status">
          {isPart
            ? translate('views.somePoints', {
                shown: formatNumber(found.data.data.length, locale),
                count: formatNumber(count, locale),
              })
            : translate('views.shownPoints', {
                smart_count: located.length,
                number: formatNumber(located.length, locale),
              })}
        </Typography>
      </ViewOptions>
      {canDraw ? (
        <WorldMap
          label={translate('views.mapOf', { name: view.title })}
          points={located}
          bounds={bounds.current}
          onArea={setSeen}
          onFailure={() => setCanDraw(false)}
          popupOf={(key) => {
            const one = located.find((known) => known.key === key);
            return one && <Link to={pathOf(key)}>{nameOf(view, one.item)}</Link>;
          }}
        />
      ) : (
        <Alert severity="info">
          {translate('views.noMap')}. {translate('views.noMapHelp')}
        </Alert>
      )}
      <Typography id={list} variant="h2" sx={{ mt: 2, mb: 1 }}>
        {translate('views.inArea')}
      </Typography>
      {here.length === 0 ? (
        <Typography color="textSecondary">{translate('views.noneInArea')}</Typography>
      ) : (
        <Paper
          component="ul"
          variant="outlined"
          aria-labelledby={list}
          sx={{
            ...{ m: 0, p: 1.5, listStyle: 'none', display: 'grid', columnGap: 2, rowGap: 0.5 },
            gridTemplateColumns: 'repeat(auto-fill, minmax(min(220px, 100%), 1fr))',
          }}
        >
          {here.slice(0, LISTED).map(({ key, item }) => (
            <Box component="li" key={key} sx={{ minWidth: 0, overflowWrap: 'anywhere' }}>
              <Link to={pathOf(key)}>{nameOf(view, item)}</Link>
            </Box>
          ))}
        </Paper>
      )}
      {here.length > LISTED && (
        <Typography variant="body2" color="textSecondary" sx={{ mt: 1 }}>
          {translate('views.moreInArea', { count: formatNumber(here.length - LISTED, locale) })}
        </Typography>
      )}
    </>
  );
}
