/** Edits a filter by clicking: groups of conditions on fields of the collection and of related ones. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import TextField from '@mui/material/TextField';
import Tooltip from '@mui/material/Tooltip';
import Typography from '@mui/material/Typography';
import { useRef } from 'react';
import { Icon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { ConditionRow } from './condition-row.tsx';
import {
  addNode,
  type Condition,
  type Group,
  type Node,
  nextId,
  replaceNode,
} from './filter-tree.ts';

export interface FilterEditorProps {
  readonly collection: string;
  readonly filter: Group;
  readonly onChange: (filter: Group) => void;
}

interface MembersProps extends FilterEditorProps {
  readonly group: Group;
}

function newCondition(): Condition {
  return { kind: 'condition', id: nextId(), path: [], operator: '', value: null };
}

function Members({ collection, filter, group, onChange }: MembersProps) {
  const translate = useTranslate();
  const replace = (id: number, next: (node: Node) => Node | null) =>
    onChange(replaceNode(filter, id, next));
  const addButton = useRef<HTMLButtonElement>(null);
  const add = (node: Node) => onChange(addNode(filter, group.id, node));
  const choose = (all: boolean) => {
    if (group.id === filter.id) onChange({ ...filter, all });
    else replace(group.id, (node) => (node.kind === 'group' ? { ...node, all } : node));
  };
  const removal = (id: number) => (
    <Tooltip title={translate('filter.remove')}>
      <IconButton
        size="small"
        aria-label={translate('filter.remove')}
        onClick={() => {
          replace(id, () => null);
          // The button that has the focus goes with it.
          addButton.current?.focus();
        }}
      >
        <Icon name="close" fontSize="small" />
      </IconButton>
    </Tooltip>
  );
  return (
    <Box sx={{ display: 'grid', gap: 1.5 }}>
      {group.members.length > 1 && (
        <TextField
          select
          value={group.all ? 'all' : 'any'}
          onChange={({ target }) => choose(target.value === 'all')}
          slotProps={{
            select: { native: true },
            htmlInput: { 'aria-label': translate('filter.join') },
          }}
          sx={{ maxWidth: 260 }}
        >
          <option value="all">{translate('filter.all')}</option>
          <option value="any">{translate('filter.any')}</option>
        </TextField>
      )}
      {group.members.map((member) => (
        <Box key={member.id} sx={{ display: 'flex', alignItems: 'flex-start', gap: 1 }}>
          {member.kind === 'condition' && (
            <ConditionRow
              collection={collection}
              condition={member}
              onChange={(next) => replace(member.id, () => next)}
            />
          )}
          {member.kind === 'group' && (
            <Box
              role="group"
              aria-label={translate('filter.group')}
              sx={{ flex: 1, pl: 2, borderInlineStart: '3px solid', borderColor: 'divider' }}
            >
              <Members collection={collection} filter={filter} group={member} onChange={onChange} />
            </Box>
          )}
          {member.kind === 'kept' && (
            <Typography
              component="code"
              sx={{
                flex: 1,
                fontFamily: 'monospace',
                fontSize: 12.5,
                overflowWrap: 'anywhere',
                py: 1,
              }}
            >
              {JSON.stringify(member.filter)}
            </Typography>
          )}
          {removal(member.id)}
        </Box>
      ))}
      <Box sx={{ display: 'flex', gap: 1, flexWrap: 'wrap' }}>
        <Button
          ref={addButton}
          size="small"
          startIcon={<Icon name="add" />}
          onClick={() => add(newCondition())}
        >
          {translate('filter.add')}
        </Button>
        <Button
          size="small"
          onClick={() =>
            add({ kind: 'group', id: nextId(), all: !group.all, members: [newCondition()] })
          }
        >
          {translate('filter.addGroup')}
        </Button>
      </Box>
    </Box>
  );
}

export function FilterEditor(props: FilterEditorProps) {
  return <Members {...props} group={props.filter} />;
}
