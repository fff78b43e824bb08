/** A gallery: the items of a page as cards with a picture, what they are called, and two facts. */
import Box from '@mui/material/Box';
import Checkbox from '@mui/material/Checkbox';
import Paper from '@mui/material/Paper';
import { useId } from 'react';
import { Link } from 'react-router-dom';
import { keyOf } from '../data/item-key.ts';
import { itemPath } from '../data/route-of.ts';
import type { Item } from '../data/schema-types.ts';
import { isItem } from '../data/values.ts';
import type { Column } from '../display/columns.ts';
import { isPicture } from '../display/file-sign.tsx';
import { fillTemplate } from '../display/template.ts';
import { usePicture } from '../display/use-picture.ts';
import type { ItemsProps } from '../list/item-table.tsx';
import { useToggle } from '../list/use-toggle.ts';
import { Icon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { Facts } from './facts.tsx';
import { FieldChoice, ViewOptions } from './field-choice.tsx';
import { factsOf } from './view.ts';

export interface GalleryProps extends ItemsProps {
  /** The field with the picture. */
  readonly image: Column;
  /** The fields that may have it. */
  readonly images: readonly Column[];
  readonly onImage: (field: string) => void;
  readonly template: string;
}

const FRAME = {
  ...{ display: 'grid', placeItems: 'center', width: '100%', aspectRatio: '4 / 3' },
  ...{ bgcolor: 'action.hover', overflow: 'hidden' },
} as const;

function Picture({ id }: { readonly id: string }) {
  const source = `/assets/${encodeURIComponent(id)}?key=system-medium-cover`;
  const { attempt, failed, onError } = usePicture(source);
  if (failed) return <NoPicture />;
  return (
    <Box sx={FRAME}>
      <Box
        component="img"
        key={attempt}
        src={source}
        onError={onError}
        alt=""
        loading="lazy"
        sx={{ width: '100%', height: '100%', objectFit: 'cover' }}
      />
    </Box>
  );
}

function NoPicture() {
  return (
    <Box sx={FRAME}>
      <Icon name="image" sx={{ fontSize: 40, color: 'text.disabled' }} />
    </Box>
  );
}

function PictureOf({ value }: { readonly value: unknown }) {
  if (!isItem(value) || !isPicture(value)) return <NoPicture />;
  return <Picture id={String(value.id)} />;
}

export default function Gallery(props: GalleryProps) {
  const { title, collection, fields, columns, templates, items, selected, onSelect } = props;
  const { image, images, onImage, template } = props;
  const translate = useTranslate();
  const toggle = useToggle(selected, onSelect);
  const id = useId();
  const facts = factsOf({ columns, template }, [image.field.field]);
  const nameOf = (item: Item) => fillTemplate(template, item) || (keyOf(fields, item) ?? '');
  return (
    <>
      <ViewOptions>
        <FieldChoice
          label={translate('views.imageField')}
          candidates={images}
          value={image}
          onChange={onImage}
        />
      </ViewOptions>
      <Box
        component="ul"
        aria-label={title}
        sx={{
          ...{ listStyle: 'none', m: 0, p: 0, display: 'grid', gap: 2 },
          gridTemplateColumns: {
            xs: 'repeat(2, minmax(0, 1fr))',
            sm: 'repeat(auto-fill, minmax(220px, 1fr))',
          },
        }}
      >
        {items.map((item, index) => {
          const key = keyOf(fields, item);
          const isSelected = key !== null && selected.has(key);
          return (
            <Paper
              component="li"
              variant="outlined"
              key={key ?? index}
              sx={{
                ...{ position: 'relative', overflow: 'hidden' },
                '&:hover': { borderColor: 'primary.main' },
                ...(isSelected && { outline: 2, outlineColor: 'primary.main' }),
              }}
            >
              <PictureOf value={item[image.field.field]} />
              {key !== null && (
                <Checkbox
                  size="small"
                  checked={isSelected}
                  onChange={() => toggle(key)}
                  slotProps={{
                    input: {
                      'aria-label': translate('list.select', { key }),
                      'aria-describedby': `${id}${index}`,
                    },
                  }}
                  sx={{
                    ...{ position: 'absolute', top: 8, insetInlineStart: 8, zIndex: 1, p: 0.25 },
                    ...{ bgcolor: 'background.paper', borderRadius: 1, boxShadow: 1 },
                    '&:hover': { bgcolor: 'background.paper' },
                  }}
                />
              )}
              <Box sx={{ p: 1.5 }}>
                <Box id={`${id}${index}`} sx={{ fontWeight: 600, overflowWrap: 'anywhere' }}>
                  {key === null ? (
                    nameOf(item)
                  ) : (
                    <Box
                      component={Link}
                      to={itemPath(collection, key)}
                      sx={{
                        ...{ color: 'text.primary', textDecoration: 'none' },
                        // The whole card leads there.
                        '&::after': { content: '""', position: 'absolute', inset: 0 },
                      }}
                    >
                      {nameOf(item)}
                    </Box>
                  )}
                </Box>
                <Facts columns={facts} item={item} templates={templates} />
              </Box>
            </Paper>
          );
        })}
      </Box>
    </>
  );
}
