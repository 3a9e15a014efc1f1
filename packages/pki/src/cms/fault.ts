import type { ReasonCode } from '@scriptorium/shared/verification-reasons';
import { plainText } from '../plain-text.ts';

/** Something that speaks against a signature. `message` is public: one sentence, bounded, about what was found. */
export interface Fault {
  code: ReasonCode;
  message: string;
}

/** Characters of what may hold text out of a document. */
const CAUSE_LENGTH_MAX = 100;

/** A fault; `cause` says more, and may quote the document. */
export function fault(code: ReasonCode, message: string, cause?: Error): Fault {
  if (cause === undefined) return { code, message };
  const text = plainText(cause.message, CAUSE_LENGTH_MAX);
  return { code, message: `${message}: ${text}.` };
}
