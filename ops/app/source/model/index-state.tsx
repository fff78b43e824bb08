/** Tells of the index of a field that it is still being built, or that it was not built to its end. */
import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import { fieldsQuery } from '../data/queries.ts';
import type { Field } from '../data/schema-types.ts';
import { useTranslate } from '../translation/use-translate.ts';

/** Nobody tells when an index is ready. */
const AGAIN = 2_000;

/** The fields that the model describes, read again while an index of one is being built. */
export function useFieldsWithIndexes(collection: string) {
  const query = fieldsQuery(collection);
  return useQuery({
    ...query,
    select: (fields: readonly Field[]) =>
      fields.filter(({ schema, meta }) => schema !== null || meta !== null),
    refetchInterval: ({ state: { data } }) =>
      data?.some(({ schema }) => schema?.index_state === 'building') === true ? AGAIN : false,
  });
}

export function IndexState({ field }: { readonly field: Field | null }) {
  const translate = useTranslate();
  const state = field?.schema?.index_state;
  if (state === 'building') {
    return (
      <Alert
        severity="info"
        action={
          <Button component={Link} to="/operations/jobs" color="inherit" size="small">
            {translate('model.index.jobs')}
          </Button>
        }
      >
        {translate('model.index.building')}
      </Alert>
    );
  }
  return state === 'invalid' ? (
    <Alert severity="warning">{translate('model.index.invalid')}</Alert>
  ) : null;
}
