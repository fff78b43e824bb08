/** The columns of the file with the names of the fields that a new collection gets. */
import Box from '@mui/material/Box';
import Checkbox from '@mui/material/Checkbox';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useTranslate } from '../translation/use-translate.ts';
import type { OpenedFile } from './beginning.ts';
import { technicalName } from './mapping.ts';
import { COLUMN_ROW } from './mapping-list.tsx';
import { NewFieldChips } from './new-field-chips.tsx';
import type { Plan } from './plan.ts';
import { type Preview, samplesOf } from './preview.ts';
import { useProposal } from './use-proposal.ts';
import { useRelationTargets } from './use-relation-targets.ts';

export interface NewFieldsProps {
  readonly collection: string;
  readonly opened: OpenedFile;
  readonly preview: Preview;
  readonly plan: Plan;
  readonly onPlan: (changes: Partial<Plan>) => void;
  readonly onChange: (column: string, field: string | null) => void;
}

/** The relations of new fields with that of one field; an empty name removes it. */
function withRelation(relations: Plan['relations'], field: string, related: string) {
  const { [field]: _, ...others } = relations ?? {};
  return related === '' ? others : { ...others, [field]: related };
}

export function NewFields(props: NewFieldsProps) {
  const { collection, opened, preview, plan, onPlan, onChange } = props;
  const translate = useTranslate();
  const { data: proposals = [] } = useProposal(collection, opened, plan);
  const targets = useRelationTargets();
  const { mapping } = plan;
  const chips = (column: string, field: string) => {
    const proposal = proposals.find((one) => one.field === field);
    if (proposal === undefined) return null;
    return (
      <NewFieldChips
        column={column}
        proposal={proposal}
        related={plan.relations?.[field] ?? ''}
        targets={targets}
        onRelation={(related) =>
          onPlan({ relations: withRelation(plan.relations, field, related) })
        }
        onType={(type) => onPlan({ types: { ...plan.types, [field]: type } })}
        onKey={() => onPlan({ key: proposal.isKey ? '' : field })}
        onFormat={(format) =>
          onPlan({ formats: { ...plan.formats, [field]: { date_format: format } } })
        }
      />
    );
  };
  return (
    <Box component="ul" sx={{ listStyle: 'none', m: 0, p: 0 }}>
      {preview.columns.map((column, at) => {
        const field = mapping[column] ?? null;
        if (column === '') return null;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: two columns may have the same name
          <Box component="li" key={`${at} ${column}`} sx={COLUMN_ROW}>
            <Box sx={{ display: 'flex', gap: 1, alignItems: 'center', minWidth: 0 }}>
              <Checkbox
                size="small"
                checked={field !== null}
                onChange={(_, taken) => onChange(column, taken ? technicalName(column) : null)}
                slotProps={{ input: { 'aria-label': translate('imports.takeColumn', { column }) } }}
              />
              <Box sx={{ minWidth: 0 }}>
                <Typography noWrap sx={{ fontWeight: 600 }}>
                  {column}
                </Typography>
                <Typography noWrap variant="body2" color="textSecondary">
                  {samplesOf(preview, at)}
                </Typography>
              </Box>
            </Box>
            {field !== null && (
              <Box sx={{ minWidth: 0, display: 'grid' }}>
                <TextField
                  value={field}
                  onChange={({ target }) => onChange(column, target.value)}
                  slotProps={{
                    htmlInput: {
                      'aria-label': translate('imports.newField', { column }),
                      dir: 'ltr',
                    },
                  }}
                />
                {chips(column, field)}
              </Box>
            )}
          </Box>
        );
      })}
    </Box>
  );
}
