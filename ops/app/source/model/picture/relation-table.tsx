/** The relations of the picture as a table, for those who would rather read than look. */
import Box from '@mui/material/Box';
import TableCell from '@mui/material/TableCell';
import TableRow from '@mui/material/TableRow';
import { Link } from 'react-router-dom';
import { DataTable } from '../../shell/data-table.tsx';
import { Message } from '../../shell/message.tsx';
import { useTranslate } from '../../translation/use-translate.ts';
import { collectionPath, fieldPath } from '../route.ts';
import type { End, Picture } from './graph.ts';

export function RelationTable({ picture }: { readonly picture: Picture }) {
  const translate = useTranslate();
  const { edges } = picture;
  const names = new Map(picture.cards.map(({ collection, name }) => [collection, name]));
  if (edges.length === 0) return <Message icon="schema" title={translate('picture.noRelations')} />;
  const end = ({ collection, field }: End) => (
    <TableCell>
      <Link to={collectionPath(collection)}>{names.get(collection)}</Link>
      {' · '}
      <Link to={fieldPath(collection, field)}>{field}</Link>
    </TableCell>
  );
  return (
    <Box sx={{ p: { xs: 1.5, md: 3 } }}>
      <DataTable
        caption={translate('picture.relations')}
        heads={['picture.from', 'picture.kind', 'picture.to', 'picture.through'].map((key) =>
          translate(key),
        )}
      >
        {edges.map(({ id, kind, from, to, through }) => (
          <TableRow key={id}>
            {end(from)}
            <TableCell>{translate(`picture.kindOf.${kind}`)}</TableCell>
            {end(to)}
            <TableCell>
              {through !== null && <Link to={collectionPath(through)}>{through}</Link>}
            </TableCell>
          </TableRow>
        ))}
      </DataTable>
    </Box>
  );
}
