/** What a list says that shows no item: because there is none, or because none fits. */
import Button from '@mui/material/Button';
import { useContext } from 'react';
import { Link } from 'react-router-dom';
import { useRights } from '../data/queries.ts';
import { isImportable } from '../data/rights.ts';
import { IMPORTS, importPath, itemPath, NEW_ITEM } from '../data/route-of.ts';
import type { Collection } from '../data/schema-types.ts';
import { Message } from '../shell/message.tsx';
import { OfferedSectionsContext } from '../shell/offered-sections.ts';
import { useTranslate } from '../translation/use-translate.ts';
import type { ListState } from './list-state.ts';

export interface EmptyListProps {
  readonly collection: Collection;
  readonly state: ListState;
  readonly mayCreate: boolean;
  readonly change: (changes: Partial<ListState>) => void;
}

export function EmptyList({ collection, state, change, mayCreate }: EmptyListProps) {
  const translate = useTranslate();
  const rights = useRights();
  const offered = useContext(OfferedSectionsContext);
  const name = collection.collection;
  if (state.search !== '' || state.filter !== null || state.page > 1) {
    return (
      <Message
        icon="search"
        title={translate('list.nothingFits')}
        actions={
          <Button variant="outlined" onClick={() => change({ search: '', filter: null })}>
            {translate('list.clear')}
          </Button>
        }
      >
        {translate('list.nothingFitsHelp')}
      </Message>
    );
  }
  const imports = offered.has(IMPORTS) && isImportable(collection, rights);
  return (
    <Message
      icon="list"
      title={translate('list.none')}
      actions={
        mayCreate && (
          <>
            {imports && (
              <Button component={Link} to={importPath(name)} variant="outlined">
                {translate('list.importFirst')}
              </Button>
            )}
            <Button component={Link} to={itemPath(name, NEW_ITEM)} variant="contained">
              {translate('list.createFirst')}
            </Button>
          </>
        )
      }
    >
      {translate(mayCreate ? 'list.noneHelp' : 'list.noneForYou')}
    </Message>
  );
}
