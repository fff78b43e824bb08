/** The logo of the project, or the first letter of its name. */
import Box from '@mui/material/Box';
import { useQuery } from '@tanstack/react-query';
import { projectQuery } from '../data/queries.ts';

export function ProjectMark() {
  const project = useQuery(projectQuery).data;
  const name = project?.project_name ?? 'Sluice';
  const size = { width: 40, height: 40, borderRadius: 2, flexShrink: 0 };
  if (project?.project_logo) {
    const source = `/assets/${project.project_logo}?key=system-small-contain`;
    return <Box component="img" src={source} alt={name} sx={{ ...size, objectFit: 'contain' }} />;
  }
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
