/**
 * Edits what is custom in a cell of the matrix. Each change is in the policy's form at once, unless a rule
 * has a condition that is not complete: without it the rule would allow more.
 */
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import Tooltip from '@mui/material/Tooltip';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { MarksIncompleteContext } from '../filter/purpose.ts';
import { SideDrawer } from '../shell/side-drawer.tsx';
import { Icon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import type { Action } from './access-types.ts';
import { NO_RULES, type Rule } from './permission-rules.ts';
import { isWhole, newDraft, type RuleDraft, readRule, writeRule } from './rule-draft.ts';
import { RuleEditor } from './rule-editor.tsx';
import { RuleSentences } from './rule-sentences.tsx';
import { RuleWords } from './rule-words.tsx';

export interface RuleDrawerProps {
  readonly collection: string;
  /** The name of the collection. */
  readonly label: string;
  readonly action: Action;
  readonly rules: readonly Rule[];
  readonly editable: boolean;
  readonly onChange: (rules: readonly Rule[]) => void;
  readonly onClose: () => void;
}

const WIDTH = 720;

export function RuleDrawer(props: RuleDrawerProps) {
  const { collection, label, action, rules, editable, onChange, onClose } = props;
  const translate = useTranslate();
  const [before] = useState(rules);
  const [drafts, setDrafts] = useState<readonly RuleDraft[]>(() =>
    rules.length === 0 ? [newDraft()] : rules.map(readRule),
  );
  const [marks, setMarks] = useState(false);
  const title = `${label}: ${translate(`access.action.${action}`)}`;
  if (!editable) {
    return (
      <SideDrawer title={title} onClose={onClose}>
        <RuleWords collection={collection} action={action} rules={rules} />
      </SideDrawer>
    );
  }
  const take = (next: readonly RuleDraft[]) => {
    setDrafts(next);
    if (next.every(isWhole)) onChange(next.map(writeRule));
  };
  const faulty = marks && !drafts.every(isWhole);
  const several = drafts.length > 1;
  return (
    <SideDrawer
      title={title}
      width={WIDTH}
      onClose={onClose}
      footer={
        <>
          {faulty && (
            <Alert severity="error" role="alert" sx={{ flex: 1, py: 0 }}>
              {translate('access.incomplete')}
            </Alert>
          )}
          <Button
            onClick={() => {
              onChange(before);
              onClose();
            }}
          >
            {translate('access.undo')}
          </Button>
          <Button
            variant="contained"
            onClick={() => {
              if (!drafts.every(isWhole)) return setMarks(true);
              // Who opens and closes it has chosen what it shows.
              onChange(drafts.length === 0 ? NO_RULES : drafts.map(writeRule));
              onClose();
            }}
          >
            {translate('access.done')}
          </Button>
        </>
      }
    >
      <Box sx={{ display: 'grid', gap: 3 }}>
        {several && (
          <Typography color="text.secondary">{translate('access.severalRules')}</Typography>
        )}
        {drafts.map((draft, index) => (
          <Box
            key={draft.number}
            component="section"
            aria-label={translate('access.rule', { number: index + 1 })}
            sx={{
              display: 'grid',
              gap: 3,
              ...(several && { p: 2, border: 1, borderColor: 'divider', borderRadius: 1 }),
            }}
          >
            {several && (
              <Box sx={{ display: 'flex', alignItems: 'center' }}>
                <Typography variant="h3" sx={{ flex: 1 }}>
                  {translate('access.rule', { number: index + 1 })}
                </Typography>
                <Tooltip title={translate('access.removeRule')}>
                  <IconButton
                    size="small"
                    aria-label={translate('access.removeRule')}
                    onClick={() => take(drafts.filter((other) => other !== draft))}
                  >
                    <Icon name="close" fontSize="small" />
                  </IconButton>
                </Tooltip>
              </Box>
            )}
            {isWhole(draft) && (
              <Alert severity="info" icon={false} sx={{ overflowWrap: 'anywhere' }}>
                <RuleSentences collection={collection} action={action} rule={writeRule(draft)} />
              </Alert>
            )}
            <MarksIncompleteContext value={marks}>
              <RuleEditor
                collection={collection}
                action={action}
                draft={draft}
                onChange={(next) =>
                  take(drafts.map((other) => (other.number === next.number ? next : other)))
                }
              />
            </MarksIncompleteContext>
          </Box>
        ))}
        <Box>
          <Button
            size="small"
            startIcon={<Icon name="add" />}
            onClick={() => take([...drafts, newDraft()])}
          >
            {translate('access.addRule')}
          </Button>
        </Box>
      </Box>
    </SideDrawer>
  );
}
