/** The library of files: folders, files, and what is dropped anywhere on the page. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import LinearProgress from '@mui/material/LinearProgress';
import Pagination from '@mui/material/Pagination';
import { useQuery } from '@tanstack/react-query';
import { useContext, useDeferredValue, useEffect, useMemo, useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { useRights } from '../data/queries.ts';
import { may } from '../data/rights.ts';
import { useStore } from '../data/store.ts';
import { DropArea } from '../shell/drop-area.tsx';
import { Failure } from '../shell/failure.tsx';
import { Loading } from '../shell/loading.tsx';
import { Message } from '../shell/message.tsx';
import { PageHeader } from '../shell/page-header.tsx';
import { useParameters } from '../shell/use-parameters.ts';
import { Icon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { DeleteFolder } from './delete-folder.tsx';
import { FileList } from './file-list.tsx';
import { FileSelection } from './file-selection.tsx';
import { FolderDialog } from './folder-dialog.tsx';
import { FolderTiles } from './folder-tiles.tsx';
import { foldersIn } from './folder-tree.ts';
import { LibraryBar } from './library-bar.tsx';
import {
  FILES,
  FOLDERS,
  type Folder,
  filesQuery,
  foldersQuery,
  libraryState,
  NO_FOLDER,
  PER_PAGE,
  placePath,
} from './library-query.ts';
import { UploadContext } from './upload-context.ts';

const NO_FOLDERS: readonly Folder[] = [];
const NONE: ReadonlySet<string> = new Set();

type Asked = 'new' | 'change' | 'delete';

export function Component() {
  const translate = useTranslate();
  const navigate = useNavigate();
  const rights = useRights();
  const { parameters, change } = useParameters();
  const [isTable, setIsTable] = useStore('files.table', false);
  const [selected, setSelected] = useState(NONE);
  const [asking, setAsking] = useState<Asked | null>(null);
  const upload = useContext(UploadContext);
  const state = useMemo(() => libraryState(parameters), [parameters]);
  const asked = useDeferredValue(state);
  const files = useQuery(filesQuery(asked, rights));
  const readsFolders = may(rights, FOLDERS, 'read');
  const folders = useQuery({ ...foldersQuery, enabled: readsFolders }).data ?? NO_FOLDERS;
  const here = folders.find(({ id }) => id === state.folder) ?? null;
  const place = `${state.folder} ${state.search} ${state.type}`;
  // What is out of sight is not selected any more.
  useEffect(() => setSelected((known) => (place === '' ? known : NONE)), [place]);
  const mayUpload = may(rights, FILES, 'create');
  const isWhole = state.search === '' && state.type === null && state.page === 1;
  const inside = isWhole && state.folder !== NO_FOLDER ? foldersIn(folders, state.folder) : [];
  const count = files.data?.meta.filter_count ?? 0;
  const pages = Math.ceil(count / PER_PAGE);
  const title =
    here?.name ?? translate(state.folder === NO_FOLDER ? 'files.noFolder' : 'files.all');
  const rows = files.data?.data ?? [];
  const close = () => setAsking(null);
  const content = (choose: (() => void) | null) => (
    <>
      <PageHeader
        title={title}
        {...(here !== null && { back: placePath(here.parent) })}
        actions={
          <>
            {here !== null && may(rights, FOLDERS, 'update') && (
              <Button onClick={() => setAsking('change')}>{translate('files.changeFolder')}</Button>
            )}
            {readsFolders && may(rights, FOLDERS, 'create') && (
              <Button
                startIcon={<Icon name="create_new_folder" />}
                onClick={() => setAsking('new')}
              >
                {translate('files.newFolder')}
              </Button>
            )}
            {here !== null && may(rights, FOLDERS, 'delete') && (
              <Button color="error" onClick={() => setAsking('delete')}>
                {translate('files.deleteFolder')}
              </Button>
            )}
            {choose !== null && (
              <Button variant="contained" startIcon={<Icon name="upload" />} onClick={choose}>
                {translate('files.upload')}
              </Button>
            )}
          </>
        }
      />
      <Box sx={{ p: { xs: 1.5, md: 3 }, pt: { xs: 2, md: 2.5 } }}>
        <LibraryBar
          state={state}
          change={change}
          isTable={isTable}
          onTable={setIsTable}
          count={files.data === undefined ? null : count}
        />
        <Box sx={{ height: 4 }}>
          {files.isFetching && <LinearProgress aria-label={translate('shell.loading')} />}
        </Box>
        <FolderTiles folders={inside} />
        {files.isError ? (
          <Failure error={files.error} retry={() => files.refetch()} />
        ) : files.isPending ? (
          <Loading />
        ) : rows.length === 0 ? (
          <Message
            icon={isWhole ? 'cloud_upload' : 'search'}
            title={translate(isWhole ? 'files.empty' : 'files.nothingFound')}
            {...(!isWhole && {
              actions: (
                <Button variant="outlined" onClick={() => change({ search: '', type: '' })}>
                  {translate('list.clear')}
                </Button>
              ),
            })}
          >
            {isWhole && choose !== null && translate('files.emptyHelp')}
          </Message>
        ) : (
          <FileList
            title={title}
            files={rows}
            isTable={isTable}
            selected={selected}
            onSelect={setSelected}
          />
        )}
        {pages > 1 && (
          <Pagination
            count={pages}
            page={state.page}
            onChange={(_, next) => change({ page: String(next) })}
            aria-label={translate('list.pages')}
            getItemAriaLabel={(type, target) =>
              translate(`list.page_${type}`, { page: target ?? '' })
            }
            shape="rounded"
            sx={{ mt: 2 }}
          />
        )}
        {selected.size > 0 && (
          <FileSelection
            selected={selected}
            folder={here?.id ?? null}
            clear={() => setSelected(NONE)}
            selectAll={
              rows.every(({ id }) => selected.has(String(id)))
                ? null
                : () => setSelected(new Set(rows.map(({ id }) => String(id))))
            }
          />
        )}
      </Box>
      {(asking === 'new' || asking === 'change') && (
        <FolderDialog
          folder={asking === 'new' ? null : here}
          parent={here?.id ?? null}
          onDone={async (id) => {
            close();
            if (asking === 'new') await navigate(placePath(id));
          }}
          onClose={close}
        />
      )}
      {asking === 'delete' && here !== null && (
        <DeleteFolder
          folder={here}
          folders={folders}
          onDone={async () => {
            close();
            await navigate(placePath(here.parent), { replace: true });
          }}
          onClose={close}
        />
      )}
    </>
  );
  if (!mayUpload) return content(null);
  return (
    <DropArea
      label={translate('files.upload')}
      multiple
      onFiles={(dropped) => upload(dropped, here?.id ?? null)}
      sx={{ minHeight: '100dvh', borderWidth: 0 }}
    >
      {content}
    </DropArea>
  );
}
