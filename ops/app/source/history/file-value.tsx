/** A file that a field refers to: its picture and what it is called, not its key. */
import Box from '@mui/material/Box';
import { useQuery } from '@tanstack/react-query';
import { client } from '../data/client.ts';
import type { Field, Item } from '../data/schema-types.ts';
import { FileSign } from '../display/file-sign.tsx';

const FILES = 'system_files';

/** Whether values of the field are keys of files. */
export function isFile({ schema }: Field): boolean {
  return schema?.foreign_key_table === FILES;
}

/** The key stays where the file is gone, or may not be read. */
export function FileValue({ file }: { readonly file: string }) {
  const found = useQuery({
    queryKey: ['items', FILES, 'list', 'named', file],
    queryFn: ({ signal }): Promise<Item[]> =>
      client.items(FILES).list(
        {
          fields: ['id', 'type', 'title', 'filename_download'],
          filter: { id: { _eq: file } },
        },
        { signal },
      ),
  });
  const [known] = found.data ?? [];
  if (known === undefined) return <>{file}</>;
  return (
    <Box
      component="span"
      sx={{ display: 'inline-flex', alignItems: 'center', gap: 1, verticalAlign: 'middle' }}
    >
      <FileSign file={known} size={32} />
      {String(known.title ?? known.filename_download ?? file)}
    </Box>
  );
}
