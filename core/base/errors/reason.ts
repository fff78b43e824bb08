/**
 * Why a request, a value or a row is rejected: a stable name for programs, parameters, and a
 * sentence for people. The catalogue is in `reasons`, one file for each subject.
 */
import { accountsReasons } from './reasons/accounts.ts';
import { filesReasons } from './reasons/files.ts';
import { graphqlReasons } from './reasons/graphql.ts';
import { jobsReasons } from './reasons/jobs.ts';
import { liveReasons } from './reasons/live.ts';
import { queryReasons } from './reasons/query.ts';
import { requestReasons } from './reasons/request.ts';
import { schemaReasons } from './reasons/schema.ts';
import { serviceReasons } from './reasons/service.ts';
import { systemReasons } from './reasons/system.ts';
import { tableFileReasons } from './reasons/table-files.ts';
import { transferReasons } from './reasons/transfer.ts';
import { valuesReasons } from './reasons/values.ts';
import { writeReasons } from './reasons/write.ts';

/** The sentences by subject; `{name}` stands for a parameter. */
export const reasonsBySubject = {
  requests: requestReasons,
  queries: queryReasons,
  values: valuesReasons,
  writes: writeReasons,
  graphql: graphqlReasons,
  live: liveReasons,
  jobs: jobsReasons,
  transfer: transferReasons,
  tables: tableFileReasons,
  files: filesReasons,
  schema: schemaReasons,
  accounts: accountsReasons,
  system: systemReasons,
  service: serviceReasons,
} as const;

const sentences = {
  ...requestReasons,
  ...queryReasons,
  ...valuesReasons,
  ...writeReasons,
  ...graphqlReasons,
  ...liveReasons,
  ...jobsReasons,
  ...transferReasons,
  ...tableFileReasons,
  ...filesReasons,
  ...schemaReasons,
  ...accountsReasons,
  ...systemReasons,
  ...serviceReasons,
} as const;

type Sentences = typeof sentences;

/** The stable name of a reason, as clients see it in `extensions.reason_code`. */
export type ReasonCode = keyof Sentences;

export type ReasonParameter = string | number;
export type ReasonParameters = Readonly<Record<string, ReasonParameter>>;

/** The names between braces in a sentence. */
type NamesIn<Sentence extends string> = Sentence extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

/** The parameters of a reason; empty if its sentence has no parameters. */
type ParametersOf<Code extends ReasonCode> = [NamesIn<Sentences[Code]>] extends [never]
  ? []
  : [parameters: Readonly<Record<NamesIn<Sentences[Code]>, ReasonParameter>>];

export interface Reason {
  /** Null for reasons that a release before the catalogue stored. */
  readonly code: ReasonCode | null;
  readonly parameters: ReasonParameters;
  readonly sentence: string;
}

/** Maximum length (characters) of a parameter; clients may send texts as long as a body. */
const PARAMETER_MAX = 2_000;

function brief(parameter: ReasonParameter, most = PARAMETER_MAX): ReasonParameter {
  if (typeof parameter === 'number' || parameter.length <= most) return parameter;
  return `${parameter.slice(0, most)}…`;
}

/** The parameters, with texts truncated to a maximum length. */
export function cutParameters(parameters: ReasonParameters, most: number): ReasonParameters {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [name, brief(value, most)]),
  );
}

const PARAMETER = /\{(\w+)\}/g;

/**
 * A reason of the catalogue.
 * @param parameters a value for each name between braces in its sentence; long texts are truncated
 */
export function reason<Code extends ReasonCode>(code: Code, ...given: ParametersOf<Code>): Reason {
  const parameters: Record<string, ReasonParameter> = {};
  const values: ReasonParameters = given[0] ?? {};
  const sentence = sentences[code].replace(PARAMETER, (_, name: string) => {
    parameters[name] = brief(values[name] ?? '');
    return String(parameters[name]);
  });
  return { code, parameters, sentence };
}

/** The same reason, with a text before its sentence that names its place. */
export function placed(place: string, { sentence, ...given }: Reason): Reason {
  return { ...given, sentence: `${place}${sentence}` };
}

const isKnown = (code: unknown): code is ReasonCode =>
  typeof code === 'string' && Object.hasOwn(sentences, code);

function isParameters(value: unknown): value is ReasonParameters {
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).every((one) => typeof one === 'string' || typeof one === 'number');
}

/** A reason as it was stored, perhaps by another release. */
export function storedReason(sentence: string, code: unknown, parameters: unknown): Reason {
  return {
    code: isKnown(code) ? code : null,
    parameters: isParameters(parameters) ? parameters : {},
    sentence,
  };
}
