/** A small picture of a file that is an image, else a sign of a file. */
import Box from '@mui/material/Box';
import type { Item } from '../data/schema-types.ts';
import { Icon } from '../theme/icon.tsx';
import { usePicture } from './use-picture.ts';

/** The types of which the server makes small pictures. */
const PICTURES = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/tiff', 'image/avif']);

export function isPicture(file: Item): boolean {
  return typeof file.type === 'string' && PICTURES.has(file.type);
}

function Sign({ size }: { readonly size: number }) {
  return <Icon name="file" sx={{ color: 'text.secondary', fontSize: size }} />;
}

function SmallPicture({ id, size }: { readonly id: string; readonly size: number }) {
  const source = `/assets/${id}?key=system-small-cover`;
  const { attempt, failed, onError } = usePicture(source);
  if (failed) return <Sign size={size} />;
  return (
    <Box
      component="img"
      key={attempt}
      src={source}
      onError={onError}
      alt=""
      loading="lazy"
      sx={{ width: size, height: size, borderRadius: 1, objectFit: 'cover', display: 'block' }}
    />
  );
}

export function FileSign({ file, size }: { readonly file: Item; readonly size: number }) {
  if (!isPicture(file) || typeof file.id !== 'string') return <Sign size={size} />;
  return <SmallPicture id={file.id} size={size} />;
}
