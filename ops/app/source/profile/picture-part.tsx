/** The picture of the caller: uploaded and cut, or removed; it holds at once. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useRef, useState } from 'react';
import { client } from '../data/client.ts';
import { useRights } from '../data/queries.ts';
import { CALLER } from '../data/query-keys.ts';
import { may, mayField } from '../data/rights.ts';
import { personName } from '../display/person.ts';
import { notify, notifyFailure } from '../shell/notify.ts';
import { Part } from '../shell/part.tsx';
import { UserAvatar } from '../shell/user-avatar.tsx';
import { Icon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { type Profile, USERS } from './profile-query.ts';

const CropDialog = lazy(() => import('../shell/crop-dialog.tsx'));

const FILES = 'system_files';
/** Pixels of the stored picture; it is never shown larger. */
const LONGEST = 640;

export function PicturePart({ profile }: { readonly profile: Profile }) {
  const translate = useTranslate();
  const queryClient = useQueryClient();
  const rights = useRights();
  const input = useRef<HTMLInputElement>(null);
  const [chosen, setChosen] = useState<File | null>(null);
  const name = personName({ ...profile }) ?? '';
  const set = useMutation({
    mutationFn: async (picture: File | null) => {
      const stored =
        picture === null
          ? null
          : await client.files.upload(
              picture,
              { title: translate('profile.pictureOf', { name }) },
              { query: { fields: ['id'] } },
            );
      await client.me.update({ avatar: stored === null ? null : stored.id }, { fields: ['id'] });
    },
    onSuccess: async (_, picture) => {
      setChosen(null);
      await queryClient.invalidateQueries({ queryKey: [CALLER] });
      notify(picture === null ? 'profile.pictureRemoved' : 'profile.pictureSaved', {
        type: 'success',
      });
    },
    onError: (error, picture) => {
      if (picture === null) notifyFailure(error, translate);
    },
  });
  const { avatar } = profile;
  const mayChange = mayField(rights, USERS, 'update', 'avatar');
  const mayUpload = mayChange && may(rights, FILES, 'create') && may(rights, FILES, 'read');
  if (!mayUpload && !avatar) return null;
  return (
    <Part title={translate('profile.picture')}>
      <Box sx={{ display: 'flex', alignItems: 'center', flexWrap: 'wrap', gap: 2 }}>
        <UserAvatar name={name} picture={avatar} size={88} />
        <Box sx={{ display: 'grid', gap: 1 }}>
          <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>
            {mayUpload && (
              <Button
                variant="outlined"
                startIcon={<Icon name="upload" />}
                onClick={() => input.current?.click()}
              >
                {translate(avatar ? 'profile.replacePicture' : 'profile.uploadPicture')}
              </Button>
            )}
            {avatar && mayChange && (
              <Button
                color="error"
                loading={set.isPending && chosen === null}
                onClick={() => set.mutate(null)}
              >
                {translate('profile.removePicture')}
              </Button>
            )}
          </Box>
          <Typography variant="body2" color="textSecondary">
            {translate('profile.pictureHelp')}
          </Typography>
        </Box>
        <input
          ref={input}
          type="file"
          hidden
          accept="image/*"
          aria-label={translate('profile.uploadPicture')}
          onChange={({ target }) => {
            set.reset();
            setChosen(target.files?.[0] ?? null);
            target.value = '';
          }}
        />
      </Box>
      {chosen !== null && (
        <Suspense>
          <CropDialog
            title={translate('profile.cropPicture')}
            content={chosen}
            longest={LONGEST}
            busy={set.isPending}
            error={set.error}
            actions={(use, busy) => (
              <Button
                variant="contained"
                loading={set.isPending}
                disabled={busy}
                onClick={() => use((part) => set.mutate(part))}
              >
                {translate('profile.usePicture')}
              </Button>
            )}
            onClose={() => setChosen(null)}
          />
        </Suspense>
      )}
    </Part>
  );
}
