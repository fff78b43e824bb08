/** Cuts a picture: the part becomes a new file, or replaces the content. */
import Button from '@mui/material/Button';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { useNavigate } from 'react-router-dom';
import { client } from '../data/client.ts';
import { useRights } from '../data/queries.ts';
import { may, mayField } from '../data/rights.ts';
import type { Item } from '../data/schema-types.ts';
import { isItem } from '../data/values.ts';
import { notify } from '../shell/notify.ts';
import { useTranslate } from '../translation/use-translate.ts';
import { FILES, filePath } from './library-query.ts';

const CropDialog = lazy(() => import('../shell/crop-dialog.tsx'));

const RATIOS = [
  ...(['1:1', '4:3', '3:2', '16:9', '3:4', '2:3', '9:16'] as const).map((text) => {
    const [width = 1, height = 1] = text.split(':').map(Number);
    return { text, ratio: width / height };
  }),
];

const SETTINGS = 'system_settings';
const CUSTOM = 'custom_aspect_ratios';

/** The forms that the project adds. */
function useRatios() {
  const isReadable = mayField(useRights(), SETTINGS, 'read', CUSTOM);
  const { data } = useQuery({
    queryKey: ['items', SETTINGS, 'one', [CUSTOM]],
    queryFn: ({ signal }): Promise<Item> =>
      client.request('GET', '/settings', { query: { fields: [CUSTOM] }, signal }),
    enabled: isReadable,
  });
  const custom: unknown = data?.[CUSTOM];
  const own = (Array.isArray(custom) ? custom : []).flatMap((one: unknown) =>
    isItem(one) && typeof one.text === 'string' && typeof one.value === 'number' && one.value > 0
      ? [{ text: one.text, ratio: one.value }]
      : [],
  );
  return [...RATIOS, ...own];
}

export interface FileCropProps {
  readonly id: string;
  readonly values: Item;
  readonly content: File;
  readonly mayReplace: boolean;
  readonly onClose: () => void;
}

interface Kept {
  readonly part: File;
  readonly as: 'new' | 'replacement';
}

export function FileCrop({ id, values, content, mayReplace, onClose }: FileCropProps) {
  const translate = useTranslate();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const rights = useRights();
  const ratios = useRatios();
  const keep = useMutation({
    mutationFn: async ({ part, as }: Kept): Promise<string | null> => {
      if (as === 'replacement') {
        await client.files.replace(id, part);
        // The point was that of the whole picture.
        if (mayField(rights, FILES, 'update', 'focal_point_x')) {
          const middle = { focal_point_x: null, focal_point_y: null };
          await client.items(FILES).update(id, middle, { fields: ['id'] });
        }
        return null;
      }
      const { folder, title } = values;
      const columns = {
        ...(typeof folder === 'string' && { folder }),
        ...(typeof title === 'string' && { title: translate('files.cropTitle', { title }) }),
      };
      const made = await client.files.upload(part, columns, { query: { fields: ['id'] } });
      return made === null ? null : String(made.id);
    },
    onSuccess: async (made, { as }) => {
      onClose();
      await queryClient.invalidateQueries({ queryKey: ['items', FILES] });
      notify(as === 'new' ? 'files.cropMade' : 'file.replaced', { type: 'success' });
      if (made !== null) await navigate(filePath(made));
    },
  });
  return (
    <Suspense>
      <CropDialog
        title={translate('files.crop')}
        content={content}
        ratios={ratios}
        busy={keep.isPending}
        error={keep.error}
        actions={(use, busy) => (
          <>
            {mayReplace && (
              <Button
                disabled={busy}
                onClick={() => use((part) => keep.mutate({ part, as: 'replacement' }))}
              >
                {translate('file.replace')}
              </Button>
            )}
            {may(rights, FILES, 'create') && (
              <Button
                variant="contained"
                loading={keep.isPending}
                disabled={busy}
                onClick={() => use((part) => keep.mutate({ part, as: 'new' }))}
              >
                {translate('files.cropAsNew')}
              </Button>
            )}
          </>
        )}
        onClose={onClose}
      />
    </Suspense>
  );
}
