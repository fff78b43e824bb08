/** Lists as downloads: `export` turns the response of a list route into a file. */

import type { Parameters } from '#core/query/parse/parameter.ts';
import { exportText } from '#core/transfer/export/export.ts';
import { FORMATS, fileName, parseFormat } from '#core/transfer/export/format.ts';
import { disposition } from '#edge/http/content-disposition.ts';
import type { Response } from '#edge/http/response.ts';
import { type Call, parseParameters, registeredStream } from './call.ts';
import type { ServedCollection } from './served-collection.ts';

function isSet(flag: unknown): boolean {
  return flag !== undefined && flag !== 'false' && flag !== false;
}

/**
 * Responds with a file of the items that the parameters select.
 * @param typed parameters that come from a JSON body
 */
export async function exportItems(
  call: Call,
  { items: service, target }: ServedCollection,
  parameters: Parameters,
  typed: Parameters = {},
): Promise<Response> {
  const { request } = call;
  const format = parseFormat(parameters.export);
  const query = parseParameters(call, { ...parameters, meta: undefined }, typed);
  const { items, columns } = await service.stream(target, query, request.signal);
  const safe = isSet(parameters.export_safe);
  const sepLine = isSet(parameters.export_sep);
  const { null_values: given } = parameters;
  // Of several texts, as an import may have them, the first one is written.
  const [nullText = null] = typeof given === 'string' ? given.split(',') : [];
  const text = exportText(items, { format, columns, safe, nullText, sepLine });
  return {
    status: 200,
    headers: {
      'Content-Type': FORMATS[format].mediaType,
      'Content-Disposition': disposition(fileName(target.collection, format, new Date())),
    },
    body: registeredStream(call, { kind: 'items', collection: target.collection }, text),
  };
}
