/** The routes for reading and writing items, one entry for each. */
import * as v from 'valibot';
import type { ErrorCode } from '#core/base/errors/catalogue.ts';
import type { ItemHandlers } from './item-handler.ts';
import { ITEM_PARAMETERS } from './parameter/item.ts';
import {
  anyObjectBody,
  JSON_ANSWER,
  jsonBody,
  NO_CONTENT_ANSWER,
  type RouteEntry,
  WRITE_ANSWER,
  WRITE_ERRORS,
} from './route.ts';
import type {
  AnswerFacts,
  BodyFacts,
  ItemForm,
  ParameterTable,
  RequestHeader,
} from './route-facts.ts';

interface FormFacts {
  readonly method: RouteEntry['method'];
  /** The path after that of the collection. */
  readonly path: '' | '/:key';
  readonly summary: string;
  readonly body: BodyFacts | null;
  readonly answer: AnswerFacts;
  /** Parameters besides those of the response. */
  readonly beside?: ParameterTable;
  readonly headers?: readonly RequestHeader[];
  readonly errors?: readonly ErrorCode[];
}

const CHANGE = {
  headers: ['If-Match'],
  errors: [...WRITE_ERRORS, 'PRECONDITION_FAILED', 'UNPROCESSABLE_ENTITY'],
} as const;
const match = {
  summary: 'The fields of a unique key; the primary key by default',
  schema: v.pipe(v.array(v.string()), v.minLength(1)),
  spelling: 'list',
} as const;

const keys = v.array(v.unknown());
const byQuery = { query: anyObjectBody };
const byKeys = { keys };
const data = anyObjectBody;

/** The body of a SEARCH. */
export const searchBody: BodyFacts = {
  ...jsonBody(
    v.strictObject({ query: v.optional(anyObjectBody), keys: v.optional(keys) }),
    'QUERY_BODY_MAX_SIZE',
  ),
  ofItems: true,
};

function ofItems(schema: v.GenericSchema): BodyFacts {
  return { ...jsonBody(schema), ofItems: true };
}

const createBody = ofItems(v.union([anyObjectBody, v.array(anyObjectBody)]));
const updateBody = ofItems(
  v.union([
    v.array(anyObjectBody),
    v.strictObject({ ...byKeys, data }),
    v.strictObject({ ...byQuery, data }),
    // The body for a singleton.
    anyObjectBody,
  ]),
);
const deleteBody = ofItems(v.union([keys, v.strictObject(byKeys), v.strictObject(byQuery)]));

const FORMS: Readonly<Record<ItemForm, FormFacts>> = {
  list: { method: 'GET', path: '', summary: 'Lists items', body: null, answer: JSON_ANSWER },
  search: {
    method: 'SEARCH',
    path: '',
    summary: 'Searches items',
    body: searchBody,
    answer: JSON_ANSWER,
  },
  read: { method: 'GET', path: '/:key', summary: 'Reads an item', body: null, answer: JSON_ANSWER },
  create: {
    ...CHANGE,
    method: 'POST',
    path: '',
    summary: 'Creates items',
    body: createBody,
    answer: WRITE_ANSWER,
  },
  upsert: {
    ...CHANGE,
    method: 'PUT',
    path: '',
    summary: 'Creates or updates items by a unique key',
    body: createBody,
    answer: WRITE_ANSWER,
    beside: { match },
  },
  updateMany: {
    ...CHANGE,
    method: 'PATCH',
    path: '',
    summary: 'Updates items',
    body: updateBody,
    answer: WRITE_ANSWER,
  },
  updateOne: {
    ...CHANGE,
    method: 'PATCH',
    path: '/:key',
    summary: 'Updates an item',
    body: ofItems(anyObjectBody),
    answer: WRITE_ANSWER,
  },
  deleteMany: {
    ...CHANGE,
    method: 'DELETE',
    path: '',
    summary: 'Deletes items',
    body: deleteBody,
    answer: NO_CONTENT_ANSWER,
  },
  deleteOne: {
    ...CHANGE,
    method: 'DELETE',
    path: '/:key',
    summary: 'Deletes an item',
    body: null,
    answer: NO_CONTENT_ANSWER,
  },
};

/** The routes that read. */
export const READ_FORMS: readonly ItemForm[] = ['list', 'search', 'read'];
/** The routes of system collections. */
export const ALL_FORMS: readonly ItemForm[] = [
  ...READ_FORMS,
  ...(['create', 'updateMany', 'updateOne', 'deleteMany', 'deleteOne'] as const),
];
/** The routes of user-defined collections. */
export const ITEM_FORMS: readonly ItemForm[] = [...ALL_FORMS, 'upsert'];
/** The routes of a singleton. */
export const SINGLE_FORMS: readonly ItemForm[] = ['list', 'updateMany'];

/** Their summaries. */
const SINGLE_SUMMARIES: Partial<Record<ItemForm, string>> = {
  list: 'Reads the item',
  updateMany: 'Updates the item',
};

/**
 * The entries for one collection, or for all collections with the name in the path.
 * @param collection null when the path contains it
 */
export function itemRoutes(
  path: string,
  forms: readonly ItemForm[],
  handlers: ItemHandlers,
  collection: string | null = null,
): readonly RouteEntry[] {
  const of = collection === null ? '' : ` of ${collection}`;
  return forms.map((form) => {
    const { path: rest, summary: usual, beside = {}, ...facts } = FORMS[form];
    const summary = (forms === SINGLE_FORMS && SINGLE_SUMMARIES[form]) || usual;
    return {
      ...facts,
      path: path + rest,
      summary: summary + of,
      access: 'rights',
      parameters: { ...ITEM_PARAMETERS, ...beside },
      items: { form, collection },
      handle: handlers[form],
    };
  });
}
