/** One level of the menu of collections. Plain elements, because there may be hundreds. */
import { styled } from '@mui/material/styles';
import { NavLink } from 'react-router-dom';
import { listPath } from '../data/route-of.ts';
import { useStore } from '../data/store.ts';
import { Icon, NamedIcon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import type { Branch } from './tree.ts';

const List = styled('ul')({
  listStyle: 'none',
  margin: 0,
  padding: 0,
  '& ul': { paddingInlineStart: 16 },
});

const Row = styled('div')({
  display: 'flex',
  alignItems: 'center',
  // What is out of sight costs no layout.
  contentVisibility: 'auto',
  containIntrinsicSize: 'auto 36px',
});

const ENTRY = {
  flex: 1,
  minWidth: 0,
  display: 'flex',
  alignItems: 'center',
  gap: 10,
  minHeight: 36,
  padding: '0 10px',
  borderRadius: 8,
} as const;

const Entry = styled(NavLink)(({ theme }) => ({
  ...ENTRY,
  color: theme.palette.text.primary,
  textDecoration: 'none',
  fontSize: 14,
  '& svg': { fontSize: 20, color: theme.palette.text.secondary, flexShrink: 0 },
  '& span': { overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
  '&:hover': { backgroundColor: theme.palette.action.hover },
  '&:focus-visible': { outlineOffset: -2 },
  '&[aria-current=page]': {
    backgroundColor: theme.palette.action.selected,
    fontWeight: 600,
    '& svg': { color: theme.palette.primary.main },
  },
}));

const Fold = styled('button')(({ theme }) => ({
  display: 'flex',
  alignItems: 'center',
  justifyContent: 'center',
  width: 28,
  height: 28,
  padding: 0,
  border: 0,
  borderRadius: 8,
  background: 'transparent',
  color: theme.palette.text.secondary,
  cursor: 'pointer',
  '&:hover': { backgroundColor: theme.palette.action.hover },
}));

const FolderEntry = styled('button')(({ theme }) => ({
  ...ENTRY,
  border: 0,
  background: 'transparent',
  color: theme.palette.text.secondary,
  font: 'inherit',
  fontSize: 14,
  fontWeight: 600,
  textAlign: 'start',
  cursor: 'pointer',
  '& svg': { fontSize: 20, flexShrink: 0 },
  '& span': { flex: 1, overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
  '&:hover': { backgroundColor: theme.palette.action.hover },
}));

function BranchItem({
  branch,
  searching,
}: {
  readonly branch: Branch;
  readonly searching: boolean;
}) {
  const translate = useTranslate();
  const { collection, name, branches } = branch;
  const { meta, schema } = collection;
  const byDefault = meta?.collapse !== 'closed';
  const [opened, setOpened] = useStore(`navigation.open.${collection.collection}`, byDefault);
  const locked = meta?.collapse === 'locked';
  const open = searching || locked || opened;
  const toggle = () => setOpened(!opened);
  const icon = (
    <NamedIcon
      name={meta?.icon ?? null}
      fallback={schema === null ? 'folder' : 'list'}
      {...(meta?.color && { style: { color: meta.color } })}
    />
  );
  const chevron = <Icon name={open ? 'expand_less' : 'expand_more'} />;
  return (
    <li>
      <Row>
        {schema === null ? (
          <FolderEntry type="button" aria-expanded={open} onClick={toggle} disabled={locked}>
            {icon}
            <span>{name}</span>
            {!locked && chevron}
          </FolderEntry>
        ) : (
          <Entry to={listPath(collection.collection)} title={name}>
            {icon}
            <span>{name}</span>
          </Entry>
        )}
        {schema !== null && branches.length > 0 && !locked && (
          <Fold
            type="button"
            aria-expanded={open}
            aria-label={translate(open ? 'navigation.fold' : 'navigation.open', { name })}
            onClick={toggle}
          >
            {chevron}
          </Fold>
        )}
      </Row>
      {open && branches.length > 0 && <BranchList branches={branches} searching={searching} />}
    </li>
  );
}

export function BranchList({
  branches,
  searching,
}: {
  readonly branches: readonly Branch[];
  readonly searching: boolean;
}) {
  return (
    <List>
      {branches.map((branch) => (
        <BranchItem key={branch.collection.collection} branch={branch} searching={searching} />
      ))}
    </List>
  );
}
