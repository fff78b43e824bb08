/** The texts of reasons by their names. The compiler finds a reason without a text, and a text without a reason. */
import type { ReasonCode } from '../../../client/source/index.ts';

/** A text for each reason. */
export type ReasonTexts = Readonly<Record<ReasonCode, string>>;

/** Texts for some of them. */
export type SomeReasons = Partial<ReasonTexts>;
