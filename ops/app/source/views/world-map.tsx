/** Draws points on the world with MapLibre: clusters, popups, and what part of the world is seen. */
import 'maplibre-gl/dist/maplibre-gl.css';
import Box from '@mui/material/Box';
import { type Theme, useTheme } from '@mui/material/styles';
import {
  GeoJSONSource,
  Map as MapLibreMap,
  NavigationControl,
  Popup,
  type StyleSpecification,
  setWorkerUrl,
} from 'maplibre-gl';
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?url';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { useTranslate } from '../translation/use-translate.ts';
import { type Area, areaOf, type Position } from './points.ts';
import { graticule, readCountries } from './world.ts';

setWorkerUrl(workerUrl);

export interface Point {
  readonly key: string;
  readonly position: Position;
}

export interface WorldMapProps {
  readonly label: string;
  /** In pixels; else most of the window. */
  readonly height?: number;
  readonly points: readonly Point[];
  /** What is seen at first; null for the whole world. */
  readonly bounds: Area | null;
  readonly onArea: (area: Area) => void;
  /** The map cannot be drawn here. */
  readonly onFailure: () => void;
  /** What stands in the popup of a point. */
  readonly popupOf: (key: string) => ReactNode;
}

/** A popup that is open: its point and the element that it is drawn in. */
interface OpenPopup {
  readonly key: string;
  readonly element: HTMLElement;
}

const EMPTY = { type: 'FeatureCollection', features: [] } as const;
/** From this zoom on, the coarse outlines are seen to be coarse. */
const CLOSE = 2.5;

function styleOf({ palette }: Theme): StyleSpecification {
  const dark = palette.mode === 'dark';
  const accent = palette.primary.main;
  return {
    version: 8,
    sources: {
      countries: { type: 'geojson', data: { ...EMPTY, features: [] } },
      graticule: { type: 'geojson', data: graticule() },
      points: {
        type: 'geojson',
        data: { ...EMPTY, features: [] },
        cluster: true,
        clusterRadius: 44,
        clusterMaxZoom: 12,
      },
    },
    layers: [
      {
        id: 'sea',
        type: 'background',
        paint: { 'background-color': dark ? '#10202e' : '#d9e8f2' },
      },
      {
        id: 'graticule',
        type: 'line',
        source: 'graticule',
        paint: { 'line-color': dark ? '#24384a' : '#bfd3e0', 'line-width': 0.7 },
      },
      {
        id: 'land',
        type: 'fill',
        source: 'countries',
        paint: { 'fill-color': dark ? '#2a303a' : '#f7f5ef', 'fill-antialias': true },
      },
      {
        id: 'borders',
        type: 'line',
        source: 'countries',
        paint: { 'line-color': dark ? '#4b5563' : '#b6b3a8', 'line-width': 0.8 },
      },
      {
        id: 'clusters',
        type: 'circle',
        source: 'points',
        filter: ['has', 'point_count'],
        paint: {
          'circle-color': accent,
          'circle-opacity': 0.85,
          'circle-radius': ['step', ['get', 'point_count'], 14, 10, 17, 100, 21, 1000, 26],
          'circle-stroke-color': palette.background.paper,
          'circle-stroke-width': 2,
        },
      },
      {
        id: 'counts',
        type: 'symbol',
        source: 'points',
        filter: ['has', 'point_count'],
        layout: {
          'text-field': ['get', 'point_count_abbreviated'],
          'text-font': ['sans-serif'],
          'text-size': 12,
          'text-allow-overlap': true,
        },
        paint: { 'text-color': palette.primary.contrastText },
      },
      {
        id: 'single',
        type: 'circle',
        source: 'points',
        filter: ['!', ['has', 'point_count']],
        paint: {
          'circle-color': accent,
          'circle-radius': 7,
          'circle-stroke-color': palette.background.paper,
          'circle-stroke-width': 2,
        },
      },
    ],
  };
}

function shapesOf(points: readonly Point[]) {
  return {
    type: 'FeatureCollection' as const,
    features: points.map(({ key, position: [longitude, latitude] }) => ({
      type: 'Feature' as const,
      properties: { key },
      geometry: { type: 'Point' as const, coordinates: [longitude, latitude] },
    })),
  };
}

function sourceOf(map: MapLibreMap, name: string): GeoJSONSource | null {
  const source = map.getSource(name);
  return source instanceof GeoJSONSource ? source : null;
}

interface Camera {
  readonly center: [longitude: number, latitude: number];
  readonly zoom: number;
}

export function WorldMap(props: WorldMapProps) {
  const { label, height, points, bounds, popupOf } = props;
  const translate = useTranslate();
  const theme = useTheme();
  const place = useRef<HTMLDivElement>(null);
  const drawn = useRef<MapLibreMap>(null);
  // Another theme draws the map anew, at the same place.
  const camera = useRef<Camera>({ center: [10, 25], zoom: 1 });
  const latest = useRef(props);
  latest.current = props;
  const [popup, setPopup] = useState<OpenPopup | null>(null);
  const words = {
    'Map.Title': label,
    'NavigationControl.ZoomIn': translate('views.zoomIn'),
    'NavigationControl.ZoomOut': translate('views.zoomOut'),
    'Popup.Close': translate('shell.close'),
  };
  const said = useRef(words);
  said.current = words;

  useEffect(() => {
    const container = place.current;
    if (container === null) return;
    let map: MapLibreMap;
    try {
      map = new MapLibreMap({
        ...{ container, style: styleOf(theme), locale: said.current },
        ...{ ...camera.current, minZoom: 0, maxZoom: 16, attributionControl: false },
        ...{ dragRotate: false, pitchWithRotate: false, touchPitch: false },
      });
    } catch {
      latest.current.onFailure();
      return;
    }
    drawn.current = map;
    map.addControl(new NavigationControl({ showCompass: false }), 'top-right');
    const controller = new AbortController();
    let isDetailed = false;
    const draw = async (detail: 'coarse' | 'detailed') => {
      const countries = await readCountries(detail);
      const isLate = detail === 'coarse' && isDetailed;
      if (controller.signal.aborted || isLate) return;
      isDetailed = detail === 'detailed';
      sourceOf(map, 'countries')?.setData(countries);
    };
    let isClose = false;
    const tell = () => {
      const seen = map.getBounds();
      latest.current.onArea(
        areaOf({
          ...{ west: seen.getWest(), south: seen.getSouth() },
          ...{ east: seen.getEast(), north: seen.getNorth() },
        }),
      );
      if (isClose || map.getZoom() < CLOSE) return;
      isClose = true;
      // The coarse outlines stay when the others cannot be loaded.
      draw('detailed').catch(() => undefined);
    };
    map.on('load', () => {
      draw('coarse').catch(() => undefined);
      sourceOf(map, 'points')?.setData(shapesOf(latest.current.points));
      tell();
    });
    map.on('moveend', tell);
    // Told to tests, which look at what is drawn.
    map.on('idle', () => {
      container.dataset.drawn = isDetailed ? 'detailed' : 'coarse';
    });
    map.on('click', 'clusters', ({ features }) => {
      const [cluster] = features ?? [];
      const source = sourceOf(map, 'points');
      if (cluster?.geometry.type !== 'Point' || source === null) return;
      const [longitude = 0, latitude = 0] = cluster.geometry.coordinates;
      source.getClusterExpansionZoom(Number(cluster.properties.cluster_id)).then(
        (zoom) => map.easeTo({ center: [longitude, latitude], zoom }),
        () => undefined,
      );
    });
    map.on('click', 'single', ({ features }) => {
      const [point] = features ?? [];
      if (point?.geometry.type !== 'Point') return;
      const [longitude = 0, latitude = 0] = point.geometry.coordinates;
      const element = document.createElement('div');
      const opened: OpenPopup = { key: String(point.properties.key), element };
      new Popup({ maxWidth: '280px' })
        .setLngLat([longitude, latitude])
        .setDOMContent(element)
        .addTo(map)
        .on('close', () => setPopup((known) => (known === opened ? null : known)));
      setPopup(opened);
    });
    for (const layer of ['clusters', 'single']) {
      map.on('mouseenter', layer, () => {
        map.getCanvas().style.cursor = 'pointer';
      });
      map.on('mouseleave', layer, () => {
        map.getCanvas().style.cursor = '';
      });
    }
    return () => {
      controller.abort();
      drawn.current = null;
      camera.current = { center: map.getCenter().toArray(), zoom: map.getZoom() };
      map.remove();
    };
  }, [theme]);

  useEffect(() => {
    const map = drawn.current;
    // Before the style is there, they are drawn as it loads.
    if (map !== null) sourceOf(map, 'points')?.setData(shapesOf(points));
  }, [points]);

  useEffect(() => {
    if (bounds === null) return;
    const { west, south, east, north } = bounds;
    drawn.current?.fitBounds([west, south, east, north], {
      ...{ padding: 48, maxZoom: 9, animate: false },
    });
  }, [bounds]);

  return (
    <>
      <Box
        ref={place}
        sx={{
          ...{ height: height ?? 'max(360px, calc(100vh - 300px))' },
          ...{ borderRadius: 1, overflow: 'hidden' },
          ...{ border: 1, borderColor: 'divider' },
          '& .maplibregl-popup-content': {
            ...{ bgcolor: 'background.paper', color: 'text.primary', borderRadius: 1, p: 1.5 },
            ...{ fontFamily: 'inherit', paddingInlineEnd: '32px', boxShadow: 3 },
          },
          '& .maplibregl-popup-tip': {
            ...{ borderTopColor: 'background.paper', borderBottomColor: 'background.paper' },
          },
          '& .maplibregl-popup-close-button': { fontSize: 18, width: 28, height: 28 },
          '& .maplibregl-ctrl-group': { bgcolor: 'background.paper' },
          '& .maplibregl-ctrl-icon': {
            filter: theme.palette.mode === 'dark' ? 'invert(1)' : 'none',
          },
        }}
      />
      {popup !== null && createPortal(popupOf(popup.key), popup.element)}
    </>
  );
}
