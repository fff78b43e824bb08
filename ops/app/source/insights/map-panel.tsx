/** The items of a collection at their positions on a map. */
import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { lazy, Suspense, useMemo, useState } from 'react';
import { Link } from 'react-router-dom';
import { keyFields, keyOf } from '../data/item-key.ts';
import { useFields } from '../data/queries.ts';
import { itemPath } from '../data/route-of.ts';
import type { Item } from '../data/schema-types.ts';
import { useTemplate } from '../display/representation.ts';
import { fillTemplate, templatePaths } from '../display/template.ts';
import { Loading } from '../shell/loading.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { chosenField, placeCandidates, placeOf } from '../views/layout.ts';
import {
  boundsOf,
  fieldsOfPlace,
  filterOfPlace,
  type Position,
  positionOf,
} from '../views/points.ts';
import { PanelFrame } from './panel-frame.tsx';
import type { KindProps } from './panel-kind.ts';
import { PanelFailure, PanelNote } from './panel-note.tsx';
import { MOST_POINTS, mapQuery } from './panel-query.ts';
import { useRows } from './use-panel.ts';

const WorldMap = lazy(async () => ({ default: (await import('../views/world-map.tsx')).WorldMap }));

/** Pixels of the line below a map that does not show all items. */
const NOTE_HEIGHT = 24;

interface Located {
  readonly key: string;
  readonly name: string;
  readonly position: Position;
}

export function MapPanel({ title, options, context, height, menuOf }: KindProps) {
  const translate = useTranslate();
  const { collection, geometryField } = options;
  const { reading } = context;
  const fields = useFields(collection);
  const template = useTemplate(collection);
  const [canDraw, setCanDraw] = useState(true);
  const place = useMemo(() => {
    const possible = fields.filter(({ meta }) => !meta?.hidden).map((field) => ({ field }));
    return placeOf(chosenField(placeCandidates(possible), geometryField), possible);
  }, [fields, geometryField]);
  const paths = [...keyFields(fields), ...templatePaths(template)];
  const rows = useRows(
    collection,
    reading === null || template === '' || place === null
      ? null
      : mapQuery(options, reading, [...paths, ...fieldsOfPlace(place)], filterOfPlace(place)),
  );
  const located = useMemo(
    () =>
      (rows.data ?? []).slice(0, MOST_POINTS).flatMap((item: Item): Located[] => {
        const position = place && positionOf(place, item);
        const key = keyOf(fields, item);
        if (position === null || key === null) return [];
        return [{ key, name: fillTemplate(template, item) || key, position }];
      }),
    [rows.data, place, fields, template],
  );
  const bounds = useMemo(() => boundsOf(located.map(({ position }) => position)), [located]);
  const shown = title ?? translate('insights.items');
  const table =
    rows.data === undefined
      ? null
      : {
          heads: [shown, translate('interface.longitude'), translate('interface.latitude')],
          rows: located.map(({ name, position }) => [name, ...position.map(String)]),
        };
  const isPart = (rows.data?.length ?? 0) > MOST_POINTS;
  const content = () => {
    if (reading !== null && place === null) {
      return <PanelNote icon="map" text={translate('insights.noPlace')} />;
    }
    if (rows.isError) return <PanelFailure error={rows.error} />;
    if (rows.data === undefined) return <Loading />;
    if (located.length === 0) {
      return <Typography color="textSecondary">{translate('chart.empty')}</Typography>;
    }
    if (!canDraw) return <PanelNote icon="map" text={translate('views.noMap')} />;
    return (
      <Suspense fallback={<Loading />}>
        <WorldMap
          label={translate('views.mapOf', { name: shown })}
          height={isPart ? height - NOTE_HEIGHT : height}
          points={located}
          bounds={bounds}
          onArea={() => undefined}
          onFailure={() => setCanDraw(false)}
          popupOf={(key) => (
            <Link to={itemPath(collection, key)}>
              {located.find((one) => one.key === key)?.name ?? key}
            </Link>
          )}
        />
        {isPart && (
          <Typography variant="body2" color="textSecondary" noWrap>
            {translate('insights.somePoints', { count: MOST_POINTS })}
          </Typography>
        )}
      </Suspense>
    );
  };
  return (
    <PanelFrame title={shown} height={height} actions={menuOf(shown, table)}>
      <Box sx={{ height }}>{content()}</Box>
    </PanelFrame>
  );
}
