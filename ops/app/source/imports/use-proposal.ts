/** What the server would make of the beginning of a file: the fields of the new collection. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { client } from '../data/client.ts';
import { isItem } from '../data/values.ts';
import type { OpenedFile } from './beginning.ts';
import { mediaType, optionsOf, type Plan } from './plan.ts';

const LF = 0x0a;
/** The largest file that is sent as a whole. */
const WHOLE_MAX = 2 * 1024 * 1024;

/** A field as the server proposes it. */
export interface ProposedField {
  readonly field: string;
  readonly type: string;
  readonly isKey: boolean;
  /** The number of values that speak against the type, and some of them. */
  readonly misfits: number;
  readonly examples: readonly string[];
  /** Notations of which one must be chosen. */
  readonly ambiguous: readonly string[];
}

function texts(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
}

function proposed(field: unknown): ProposedField[] {
  if (!isItem(field) || typeof field.field !== 'string') return [];
  const { examples } = field;
  const values = Array.isArray(examples) ? examples.filter(isItem).map(({ value }) => value) : [];
  return [
    {
      field: field.field,
      type: String(field.type),
      isKey: field.primary_key === true,
      misfits: Number(field.misfits ?? 0),
      examples: texts(values),
      ambiguous: texts(field.ambiguous),
    },
  ];
}

/** The whole lines at the beginning; null where a file cannot be cut. */
function sampleOf({ bytes, complete, file, table }: OpenedFile, { format }: Plan): File | null {
  if (table !== null) return file.size > WHOLE_MAX ? null : file;
  if (!complete && format === 'json') return null;
  const end = complete ? bytes.length : bytes.lastIndexOf(LF) + 1;
  return end === 0 ? null : new File([new Uint8Array(bytes.subarray(0, end))], file.name);
}

/** The proposal for a new collection; undefined until it is known. */
export function useProposal(collection: string, opened: OpenedFile, plan: Plan) {
  const sample = sampleOf(opened, plan);
  const { name, size, lastModified } = opened.file;
  return useQuery({
    queryKey: ['import-proposal', collection, name, size, lastModified, plan],
    enabled: sample !== null && plan.create,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }): Promise<readonly ProposedField[]> => {
      if (sample === null) return [];
      const result = await client
        .items(collection)
        .import(
          { name: sample.name, content: sample, type: mediaType(plan.format) },
          { ...optionsOf({ ...plan, onError: 'skip' }), dry_run: true, signal },
        );
      return Array.isArray(result.fields) ? result.fields.flatMap(proposed) : [];
    },
  });
}
