/** A small picture of a file that is an image, else a sign of a file. */
import Box from '@mui/material/Box';
import type { Item } from '../data/schema-types.ts';
import { Icon } from '../theme/icon.tsx';

/** The types of which the server makes small pictures. */
const PICTURES = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/tiff', 'image/avif']);

export function isPicture(file: Item): boolean {
  return typeof file.type === 'string' && PICTURES.has(file.type);
}

export function FileSign({ file, size }: { readonly file: Item; readonly size: number }) {
  if (!isPicture(file) || typeof file.id !== 'string') {
    return <Icon name="file" sx={{ color: 'text.secondary', fontSize: size }} />;
  }
  return (
    <Box
      component="img"
      src={`/assets/${file.id}?key=system-small-cover`}
      alt=""
      loading="lazy"
      sx={{ width: size, height: size, borderRadius: 1, objectFit: 'cover', display: 'block' }}
    />
  );
}
