/** The import that is being prepared, with what its file and the fields of its collection make of it. */
import { useQuery } from '@tanstack/react-query';
import { useLocaleState } from 'ra-core';
import { useContext, useMemo } from 'react';
import { fieldsQuery, useRights } from '../data/queries.ts';
import type { Field } from '../data/schema-types.ts';
import { textOf } from './beginning.ts';
import { ImportContext } from './import-context.ts';
import { kindsOf, resolveMapping, targetFields } from './mapping.ts';
import type { Plan } from './plan.ts';
import { readPreview } from './preview.ts';

const LINES = 20;
const NO_FIELDS: readonly Field[] = [];

/** The fields that may be filled. */
export function useTargets(collection: string) {
  const rights = useRights();
  const query = useQuery({ ...fieldsQuery(collection), enabled: collection !== '' });
  const fields = useMemo(
    () => (query.data === undefined ? NO_FIELDS : targetFields(query.data, rights)),
    [query.data, rights],
  );
  return { ...query, fields };
}

/** Null while no file is chosen. */
export function usePrepared(fields: readonly Field[]) {
  const { prepared } = useContext(ImportContext);
  const [locale] = useLocaleState();
  return useMemo(() => {
    if (prepared === null) return null;
    const { opened, plan } = prepared;
    const preview = readPreview(textOf(opened, plan.charset), plan, LINES);
    const mapping = resolveMapping(preview.columns, fields, plan.mapping, locale);
    const used = new Set(Object.values(mapping));
    const kinds = kindsOf(fields.filter(({ field }) => used.has(field)));
    // What no column needs is not said.
    const whole: Plan = {
      ...plan,
      mapping,
      dateFormat: kinds.dates ? plan.dateFormat : '',
      timezone: kinds.zones ? plan.timezone : '',
      decimal: kinds.decimals ? plan.decimal : '.',
    };
    return { opened, preview, kinds, plan: whole, used: used.size - (used.has(null) ? 1 : 0) };
  }, [prepared, fields, locale]);
}
