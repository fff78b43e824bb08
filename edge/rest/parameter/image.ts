/** The parameters of image transformations. */
import * as v from 'valibot';
import { FITS, FORMATS } from '#core/files/images/image-transformation.ts';
import type { ParameterTable } from '../route-facts.ts';
import { flagParameter } from './item.ts';

const whole = (min: number, max: number) =>
  v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max));
const focus = { summary: 'What is to stay in sight, in pixels', schema: whole(0, 999_999) };

/** All parameters of `parseTransformation` in core; a test compares them. */
export const IMAGE_PARAMETERS: ParameterTable = {
  key: { summary: 'A preset; it stands alone', schema: v.pipe(v.string(), v.nonEmpty()) },
  width: { summary: 'Pixels', schema: whole(1, 6_000) },
  height: { summary: 'Pixels', schema: whole(1, 6_000) },
  fit: { summary: 'How the image fits into both', schema: v.picklist(FITS) },
  quality: { summary: 'Of the compression', schema: whole(1, 100) },
  withoutEnlargement: { summary: 'Small images stay small', schema: flagParameter },
  format: { summary: '`auto` by what the client accepts', schema: v.picklist(FORMATS) },
  focal_point_x: focus,
  focal_point_y: focus,
  transforms: {
    summary: 'Operations, each a list of its name and its arguments',
    schema: v.array(v.pipe(v.array(v.unknown()), v.minLength(1))),
    spelling: 'json',
  },
};
