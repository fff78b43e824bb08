/** The logo of the project, else that of Sluice, or the first letter of the project's name. */
import Box from '@mui/material/Box';
import { useQuery } from '@tanstack/react-query';
import { projectQuery } from '../data/queries.ts';

/** The name of a project that has none of its own. */
const OWN_NAME = 'Sluice';
const OWN_LOGO = new URL('../theme/favicon.svg', import.meta.url).href;

export function ProjectMark() {
  const project = useQuery(projectQuery).data;
  const name = project?.project_name ?? OWN_NAME;
  const size = { width: 40, height: 40, borderRadius: 2, flexShrink: 0 };
  if (project?.project_logo) {
    const source = `/assets/${project.project_logo}?key=system-small-contain`;
    return <Box component="img" src={source} alt={name} sx={{ ...size, objectFit: 'contain' }} />;
  }
  if (name === OWN_NAME) return <Box component="img" src={OWN_LOGO} alt={name} sx={size} />;
  return (
    <Box
      role="img"
      aria-label={name}
      sx={{
        ...size,
        display: 'grid',
        placeItems: 'center',
        bgcolor: 'primary.main',
        color: 'primary.contrastText',
        fontWeight: 700,
        fontSize: 18,
      }}
    >
      {name.charAt(0).toUpperCase()}
    </Box>
  );
}
