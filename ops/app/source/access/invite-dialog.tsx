/**
 * Invites people by mail: each gets a link with which he sets his password. Where no mail is sent, or by
 * choice, an administrator gets the links to hand over.
 */
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import TextField from '@mui/material/TextField';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { client } from '../data/client.ts';
import { serverQuery, useIsAdministrator } from '../data/queries.ts';
import { FailureAlert } from '../shell/failure-alert.tsx';
import { NativeSelect } from '../shell/native-select.tsx';
import { notify } from '../shell/notify.ts';
import { useTranslate } from '../translation/use-translate.ts';
import { rolesQuery } from './access-queries.ts';
import { type Role, USERS } from './access-types.ts';
import { makeLink } from './account-link.ts';
import { roleTree } from './role-tree.ts';
import { TokenDialog } from './token-dialog.tsx';
import { useAccessChanged } from './use-access-changed.ts';

const NO_ROLES: readonly Role[] = [];
const ADDRESS = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** The addresses in a text, apart by lines, spaces, commas or semicolons. */
function addressesOf(text: string): readonly string[] {
  return [...new Set(text.split(/[\s,;]+/).filter((part) => part !== ''))];
}

/** A user who was created for a link. */
interface Invited {
  readonly id: string;
  readonly role: string;
}

/** Creates an invited user with a role, and returns the key. */
async function inviteAs(email: string, role: string): Promise<string> {
  const invited = { email, role, status: 'invited' };
  const user = await client.items(USERS).create(invited, { fields: ['id'] });
  return String(user?.id);
}

export function InviteDialog({ onClose }: { readonly onClose: () => void }) {
  const translate = useTranslate();
  const id = useId();
  const accessChanged = useAccessChanged();
  const roles = useQuery(rolesQuery).data ?? NO_ROLES;
  const [text, setText] = useState('');
  const [role, setRole] = useState('');
  const [checked, setChecked] = useState(false);
  const addresses = addressesOf(text);
  const wrong = addresses.filter((address) => !ADDRESS.test(address));
  const fault =
    addresses.length === 0
      ? translate('access.noAddress')
      : wrong.length > 0
        ? translate('access.wrongAddress', { addresses: wrong.join(', ') })
        : null;
  const invite = useMutation({
    mutationFn: () =>
      client.request<null>('POST', '/users/invite', { body: { email: addresses, role } }),
    onSuccess: async () => {
      notify('access.invited', {
        type: 'success',
        messageArgs: { smart_count: addresses.length },
      });
      onClose();
      await accessChanged();
    },
  });
  const administrator = useIsAdministrator();
  const noMail = useQuery(serverQuery).data?.mail === false;
  // What was made before a failure stays: a link is given only once.
  const [users] = useState(() => new Map<string, Invited>());
  const [links, setLinks] = useState<ReadonlyMap<string, string>>(new Map());
  const made = [...links].map(([email, link]) => `${email}\n${link}`).join('\n\n');
  const hand = useMutation({
    mutationFn: async () => {
      for (const email of addresses) {
        const known = users.get(email);
        if (links.has(email) && known?.role === role) continue;
        const id = known?.id ?? (await inviteAs(email, role));
        if (known !== undefined && known.role !== role) {
          await client.items(USERS).update(known.id, { role }, { fields: ['id'] });
        }
        users.set(email, { id, role });
        if (links.has(email)) continue;
        const link = await makeLink(id);
        setLinks((before) => new Map([...before, [email, link]]));
      }
    },
    onSettled: () => accessChanged(),
  });
  const [isLeaving, setLeaving] = useState(false);
  const leave = () => (made === '' ? onClose() : setLeaving(true));
  const failure = hand.error ?? invite.error;
  const act = (by: typeof invite | typeof hand) => {
    setChecked(true);
    if (fault === null && role !== '') by.mutate();
  };
  if (hand.isSuccess || (isLeaving && made !== '')) {
    return (
      <TokenDialog
        title={translate('access.links')}
        text={translate('access.linkText')}
        secret={made}
        onClose={onClose}
      />
    );
  }
  return (
    <Dialog open onClose={leave} aria-labelledby={id} fullWidth maxWidth="sm">
      <DialogTitle id={id}>{translate('access.inviteTitle')}</DialogTitle>
      <DialogContent>
        <Box
          component="form"
          id={`${id}-form`}
          noValidate
          onSubmit={(event: FormEvent) => {
            event.preventDefault();
            act(noMail && administrator ? hand : invite);
          }}
          onChange={() => {
            invite.reset();
            hand.reset();
          }}
          sx={{ display: 'grid', gap: 2, pt: 1 }}
        >
          {noMail && (
            <Alert severity="info">
              {translate(administrator ? 'access.noMailLinks' : 'access.noMail')}
            </Alert>
          )}
          <FailureAlert error={failure} />
          {made !== '' && (
            <TextField
              label={translate('access.links')}
              value={made}
              multiline
              slotProps={{ htmlInput: { readOnly: true, dir: 'ltr' } }}
            />
          )}
          <TextField
            label={translate('access.addresses')}
            value={text}
            onChange={({ target }) => setText(target.value)}
            multiline
            minRows={3}
            autoFocus
            required
            error={checked && fault !== null}
            helperText={(checked && fault) || translate('access.addressesHelp')}
            slotProps={{ htmlInput: { dir: 'ltr', inputMode: 'email', spellCheck: false } }}
          />
          <NativeSelect
            label={translate('access.role')}
            value={role}
            onChange={({ target }) => setRole(target.value)}
            required
            error={checked && role === ''}
            helperText={checked && role === '' ? translate('form.required') : null}
          >
            <option value="">{translate('access.chooseRole')}</option>
            {roleTree(roles).map((at) => (
              <option key={at.role.id} value={at.role.id}>
                {'\u2003'.repeat(at.depth)}
                {at.role.name}
              </option>
            ))}
          </NativeSelect>
        </Box>
      </DialogContent>
      <DialogActions>
        <Button onClick={leave}>{translate('shell.cancel')}</Button>
        {administrator && !noMail && (
          <Button loading={hand.isPending} onClick={() => act(hand)}>
            {translate('access.showLinks')}
          </Button>
        )}
        <Button
          type="submit"
          form={`${id}-form`}
          variant="contained"
          loading={invite.isPending || (noMail && hand.isPending)}
        >
          {translate(noMail && administrator ? 'access.showLinks' : 'access.sendInvitation')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
