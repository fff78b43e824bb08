/** A document as a tree whose branches open and close. */
import Box from '@mui/material/Box';

interface TreeProps {
  readonly value: unknown;
  /** Levels that are open at first. */
  readonly open?: number;
}

interface BranchProps {
  readonly name: string;
  readonly value: unknown;
  readonly open: number;
}

/** Members of a branch that are drawn; a tree is to be read. */
const AT_MOST = 500;
const OPEN = 2;

function Leaf({ value }: { readonly value: unknown }) {
  const isText = typeof value === 'string';
  return (
    <Box component="span" sx={{ color: isText ? 'text.primary' : 'primary.main' }}>
      {isText ? value : JSON.stringify(value)}
    </Box>
  );
}

function Branch({ name, value, open }: BranchProps) {
  const label = (
    <Box component="span" sx={{ color: 'text.secondary' }}>
      {name}
    </Box>
  );
  if (typeof value !== 'object' || value === null) {
    return (
      <Box component="li" sx={{ overflowWrap: 'anywhere', py: 0.125 }}>
        {label} <Leaf value={value} />
      </Box>
    );
  }
  const size = Object.keys(value).length;
  return (
    <li>
      <details open={open > 0}>
        <Box component="summary" sx={{ cursor: 'pointer', py: 0.125 }}>
          {label}{' '}
          <Box component="span" sx={{ color: 'text.secondary' }}>
            {Array.isArray(value) ? `[${size}]` : `{${size}}`}
          </Box>
        </Box>
        <JsonTree value={value} open={open - 1} />
      </details>
    </li>
  );
}

export function JsonTree({ value, open = OPEN }: TreeProps) {
  const members =
    typeof value === 'object' && value !== null ? Object.entries(value).slice(0, AT_MOST) : [];
  return (
    <Box
      component="ul"
      dir="ltr"
      sx={{
        ...{ listStyle: 'none', m: 0, p: 0, fontFamily: 'monospace', fontSize: 13 },
        paddingInlineStart: 2,
      }}
    >
      {members.map(([name, member]) => (
        <Branch key={name} name={name} value={member} open={open} />
      ))}
    </Box>
  );
}
