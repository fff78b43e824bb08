/** The picture of a user, or the first letter of the name. */
import Avatar from '@mui/material/Avatar';
import Box from '@mui/material/Box';
import { usePicture } from '../display/use-picture.ts';

export interface UserAvatarProps {
  readonly name: string;
  /** The key of a file. */
  readonly picture: string | null | undefined;
  /** In pixels. */
  readonly size: number;
}

/** The widest picture that the small preset serves sharply. */
const SMALL = 40;

export function UserAvatar({ name, picture, size }: UserAvatarProps) {
  const preset = size > SMALL ? 'system-medium-cover' : 'system-small-cover';
  const source = `/assets/${picture}?key=${preset}`;
  const { attempt, failed, onError } = usePicture(source);
  return (
    <Avatar
      sx={{
        ...{ width: size, height: size, fontSize: size * 0.4 },
        ...{ bgcolor: 'primary.main', color: 'primary.contrastText' },
      }}
    >
      {!picture || failed ? (
        name.charAt(0).toUpperCase()
      ) : (
        <Box
          component="img"
          key={attempt}
          src={source}
          onError={onError}
          alt=""
          sx={{ width: 1, height: 1, objectFit: 'cover' }}
        />
      )}
    </Avatar>
  );
}
