/** A parameter that is true when present, unless its value is `false`. */
import * as v from 'valibot';

export const flagParameter = v.picklist(['', 'true', 'false']);
