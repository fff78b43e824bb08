/** A place as GeoJSON; a point also by its longitude and latitude. */
import Box from '@mui/material/Box';
import TextField from '@mui/material/TextField';
import { useState } from 'react';
import { isItem } from '../data/values.ts';
import { useTranslate } from '../translation/use-translate.ts';
import { ControlFrame } from './control-frame.tsx';
import type { InterfaceProps } from './interface.ts';
import { JsonInterface } from './json.tsx';

type Place = readonly [longitude: string, latitude: string];

function pointOf(value: unknown): Place | null {
  if (value === null || value === undefined) return ['', ''];
  if (!isItem(value) || value.type !== 'Point' || !Array.isArray(value.coordinates)) return null;
  // A third coordinate has no field here, and must not be lost.
  if (value.coordinates.length !== 2) return null;
  return [String(value.coordinates[0]), String(value.coordinates[1])];
}

function Point(props: InterfaceProps & { readonly place: Place }) {
  const { label, value, onChange, readOnly, error, place } = props;
  const translate = useTranslate();
  const [typed, setTyped] = useState<Place>(place);
  const known = typed.map(Number).join() === place.map(Number).join() ? typed : place;
  const change = (next: Place) => {
    setTyped(next);
    const [longitude, latitude] = next.map((text) =>
      text.trim() === '' ? Number.NaN : Number(text),
    );
    if (next.every((text) => text.trim() === '')) onChange(null);
    else if (Number.isFinite(longitude) && Number.isFinite(latitude)) {
      const other = isItem(value) ? value : {};
      onChange({ ...other, type: 'Point', coordinates: [longitude, latitude] });
    }
  };
  const shown = typed.some((text) => text.trim() === '') ? typed : known;
  const input = (index: 0 | 1, name: string) => (
    <TextField
      label={translate(name)}
      value={shown[index]}
      error={error !== null}
      onChange={({ target }) =>
        change(index === 0 ? [target.value, shown[1]] : [shown[0], target.value])
      }
      slotProps={{
        input: { readOnly },
        htmlInput: {
          inputMode: 'decimal',
          dir: 'ltr',
          'aria-label': `${label}: ${translate(name)}`,
        },
      }}
    />
  );
  return (
    <ControlFrame {...props}>
      <Box sx={{ display: 'grid', gridTemplateColumns: '1fr 1fr', gap: 2, pt: 0.5 }}>
        {input(0, 'interface.longitude')}
        {input(1, 'interface.latitude')}
      </Box>
    </ControlFrame>
  );
}

export function GeometryInterface(props: InterfaceProps) {
  const { field, value } = props;
  const place = pointOf(value);
  const isPoint = field.type === 'geometry.Point' || field.meta?.options?.geometryType === 'Point';
  // What begins as a point stays one while its coordinates are typed.
  if (place !== null && (isPoint || place[0] !== '')) return <Point {...props} place={place} />;
  return <JsonInterface {...props} />;
}
