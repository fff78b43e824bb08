/** A parameter that means true when it is there, unless its value says false. */
import * as v from 'valibot';

export const flagParameter = v.picklist(['', 'true', 'false']);
