/** The folders in a place, as tiles that lead into them. */
import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { Link } from 'react-router-dom';
import { Icon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { type Folder, placePath } from './library-query.ts';

export function FolderTiles({ folders }: { readonly folders: readonly Folder[] }) {
  const translate = useTranslate();
  if (folders.length === 0) return null;
  return (
    <Box
      component="ul"
      aria-label={translate('files.folders')}
      sx={{
        ...{ listStyle: 'none', m: 0, p: 0, mb: 2, display: 'grid', gap: { xs: 1, sm: 2 } },
        gridTemplateColumns: {
          xs: 'repeat(2, minmax(0, 1fr))',
          sm: 'repeat(auto-fill, minmax(168px, 1fr))',
        },
      }}
    >
      {folders.map(({ id, name }) => (
        <li key={id}>
          <Paper
            component={Link}
            to={placePath(id)}
            variant="outlined"
            sx={{
              ...{ display: 'flex', alignItems: 'center', gap: 1, px: 1.5, minHeight: 48 },
              ...{ borderRadius: 2, color: 'text.primary', textDecoration: 'none' },
              '&:hover': { borderColor: 'primary.main' },
            }}
          >
            <Icon name="folder" sx={{ color: 'primary.main' }} />
            <Typography noWrap component="span" title={name} sx={{ fontSize: 14, fontWeight: 600 }}>
              {name}
            </Typography>
          </Paper>
        </li>
      ))}
    </Box>
  );
}
