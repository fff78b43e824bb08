/** The comments on an item: what people say about it; one's own can be changed and taken back. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../data/client.ts';
import { meQuery, useRights } from '../data/queries.ts';
import { may } from '../data/rights.ts';
import type { Item } from '../data/schema-types.ts';
import { isItem } from '../data/values.ts';
import { personName } from '../display/person.ts';
import { useFormatDate } from '../display/use-format-date.ts';
import { ConfirmDialog } from '../shell/confirm-dialog.tsx';
import { Failure } from '../shell/failure.tsx';
import { FailureAlert } from '../shell/failure-alert.tsx';
import { Loading } from '../shell/loading.tsx';
import { SideDrawer } from '../shell/side-drawer.tsx';
import { useTranslate } from '../translation/use-translate.ts';

/** Of which the compiler knows no fields: they are chosen at run time. */
const COMMENTS: string = 'system_comments';

interface CommentsDrawerProps {
  readonly collection: string;
  readonly itemKey: string;
  readonly onClose: () => void;
}

function Write({
  first,
  confirm,
  onWrite,
  onCancel,
}: {
  readonly first: string;
  readonly confirm: string;
  readonly onWrite: (text: string) => Promise<unknown>;
  readonly onCancel?: () => void;
}) {
  const translate = useTranslate();
  const [text, setText] = useState(first);
  const write = useMutation({
    mutationFn: (written: string) => onWrite(written),
    onSuccess: () => setText(''),
  });
  return (
    <Box
      component="form"
      onSubmit={(event: React.FormEvent) => {
        event.preventDefault();
        event.stopPropagation();
        write.mutate(text.trim());
      }}
    >
      <TextField
        multiline
        minRows={2}
        // That of a comment that is changed stands where its button was.
        autoFocus={onCancel !== undefined}
        label={translate('history.comment')}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <FailureAlert error={write.error} sx={{ mt: 1 }} />
      <Box sx={{ display: 'flex', gap: 1, mt: 1 }}>
        <Button
          type="submit"
          variant="contained"
          disabled={text.trim() === ''}
          loading={write.isPending}
        >
          {confirm}
        </Button>
        {onCancel && <Button onClick={onCancel}>{translate('shell.cancel')}</Button>}
      </Box>
    </Box>
  );
}

export function CommentsDrawer({ collection, itemKey, onClose }: CommentsDrawerProps) {
  const translate = useTranslate();
  const formatDate = useFormatDate();
  const queryClient = useQueryClient();
  const rights = useRights();
  const me = useQuery(meQuery).data;
  const [edited, setEdited] = useState<string | null>(null);
  // The one that was edited last: its button, which comes back, gets the focus.
  const [left, setLeft] = useState<string | null>(null);
  const leave = (id: string) => {
    setLeft(id);
    setEdited(null);
  };
  const queryKey = ['items', 'system_comments', 'of', collection, itemKey];
  const knowsPeople = may(rights, 'system_users', 'read');
  const people = ['id', 'first_name', 'last_name', 'email'].map((name) => `user_created.${name}`);
  const fields: readonly string[] = [
    ...['id', 'comment', 'date_created', 'date_updated'],
    ...(knowsPeople ? people : ['user_created']),
  ];
  const comments = useQuery({
    queryKey,
    queryFn: ({ signal }): Promise<Item[]> =>
      client.items(COMMENTS).list(
        {
          fields,
          filter: { collection: { _eq: collection }, item: { _eq: itemKey } },
          sort: ['date_created'],
          limit: -1,
        },
        { signal },
      ),
    // Nobody tells of what others say: whoever opens them reads them.
    staleTime: 0,
  });
  const refresh = () => queryClient.invalidateQueries({ queryKey });
  const [doomed, setDoomed] = useState<string | null>(null);
  const remove = useMutation({
    mutationFn: (id: string) => client.items(COMMENTS).delete(id),
    onSuccess: async () => {
      setDoomed(null);
      await refresh();
    },
  });
  const authorOf = ({ user_created: user }: Item) => (isItem(user) ? user.id : user);
  return (
    <SideDrawer title={translate('history.comments')} onClose={onClose}>
      {comments.isPending && <Loading />}
      {comments.error !== null && comments.data === undefined && (
        <Failure error={comments.error} retry={() => comments.refetch()} />
      )}
      {comments.data?.length === 0 && (
        <Box sx={{ color: 'text.secondary', mb: 2 }}>{translate('history.noComments')}</Box>
      )}
      <Box component="ul" sx={{ listStyle: 'none', m: 0, p: 0, display: 'grid', gap: 2, mb: 2 }}>
        {comments.data?.map((comment) => {
          const id = String(comment.id);
          const isOwn = authorOf(comment) === me?.id;
          const who = isOwn ? translate('history.you') : personName(comment.user_created);
          return (
            <Box component="li" key={id}>
              <Typography component="div" sx={{ fontSize: 12 }} color="textSecondary">
                <b>{who ?? translate('history.somebody')}</b>{' '}
                {formatDate('timestamp', String(comment.date_created))}
              </Typography>
              {edited === id ? (
                <Write
                  first={String(comment.comment)}
                  confirm={translate('shell.save')}
                  onWrite={async (text) => {
                    await client.items(COMMENTS).update(id, { comment: text });
                    leave(id);
                    await refresh();
                  }}
                  onCancel={() => leave(id)}
                />
              ) : (
                <Typography
                  component="div"
                  dir="auto"
                  sx={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
                >
                  {String(comment.comment)}
                </Typography>
              )}
              {isOwn && edited !== id && (
                <Box sx={{ marginInlineStart: -1, '& .MuiButton-root': { minWidth: 0, px: 1 } }}>
                  {may(rights, 'system_comments', 'update') && (
                    <Button size="small" autoFocus={left === id} onClick={() => setEdited(id)}>
                      {translate('history.edit')}
                    </Button>
                  )}
                  {may(rights, 'system_comments', 'delete') && (
                    <Button size="small" color="error" onClick={() => setDoomed(id)}>
                      {translate('shell.delete')}
                    </Button>
                  )}
                </Box>
              )}
            </Box>
          );
        })}
      </Box>
      {may(rights, 'system_comments', 'create') && (
        <Write
          first=""
          confirm={translate('history.send')}
          onWrite={async (text) => {
            await client
              .items('system_comments')
              .create({ collection, item: itemKey, comment: text });
            await refresh();
          }}
        />
      )}
      <ConfirmDialog
        open={doomed !== null}
        title={translate('history.deleteComment')}
        confirm={translate('shell.delete')}
        busy={remove.isPending}
        error={remove.error}
        onConfirm={() => doomed !== null && remove.mutate(doomed)}
        onClose={() => {
          setDoomed(null);
          remove.reset();
        }}
      >
        {translate('history.deleteCommentText')}
      </ConfirmDialog>
    </SideDrawer>
  );
}
