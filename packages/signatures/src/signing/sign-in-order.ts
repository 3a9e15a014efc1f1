import { createHash } from 'node:crypto';
import { detectDocumentType } from '../document-type.ts';
import { readPdf } from '../pades/read-pdf.ts';
import { targetField } from '../pades/signature-target.ts';
import type { OneOfSeveral, SignWarning } from '../sign-request.ts';
import type { Signed, SignRequest } from './sign-tools.ts';

/** One of several signatures cannot be made, so that none is. `cause` is why. */
export class OneOfSeveralError extends Error {
  /** Number of the signature, from 0. */
  readonly index: number;

  constructor(index: number, cause: unknown) {
    super(`Signature ${index + 1} cannot be made.`, { cause });
    this.name = 'OneOfSeveralError';
    this.index = index;
  }
}

/**
 * Makes several signatures in order, each a revision of its own. The audit trail is added before the first one. Returns the
 * document with all of them, or throws OneOfSeveralError.
 */
export async function signInOrder(
  request: SignRequest,
  signatures: readonly OneOfSeveral[],
  sign: (request: SignRequest) => Promise<Signed>,
): Promise<Signed> {
  requireFields(request, signatures);
  const { signing, callerKeys, callerKey } = request;
  const { auditTrail, ...common } = signing;
  const made: Signed[] = [];
  for (const [index, { key, ...own }] of signatures.entries()) {
    const isFirst = index === 0;
    const { signatures: _all, ...alone } = { ...common, ...own, key: key ?? signing.key };
    made.push(
      await ofSignature(index, () =>
        sign({
          ...request,
          source: made.at(-1)?.bytes ?? request.source,
          callerKey: key === undefined ? callerKey : callerKeys?.[index],
          fieldMustExist: true,
          signing: isFirst ? { ...alone, signatures: signing.signatures, auditTrail } : alone,
        }),
      ),
    );
  }
  return together(made);
}

/** Throws for names without an empty field before a key is used or an authority asked. */
function requireFields({ source, password }: SignRequest, signatures: readonly OneOfSeveral[]): void {
  if (signatures.every(({ field }) => field === undefined) || detectDocumentType(source) !== 'pdf') return;
  const pdf = readPdf(source, password);
  for (const [index, { field }] of signatures.entries())
    if (field !== undefined) ofSignature(index, () => targetField(pdf, field, true));
}

function ofSignature<Result>(index: number, make: () => Result): Result {
  const fail = (error: unknown): never => {
    throw new OneOfSeveralError(index, error);
  };
  try {
    const result = make();
    return result instanceof Promise ? (result.catch(fail) as Result) : result;
  } catch (error) {
    return fail(error);
  }
}

function together(made: readonly Signed[]): Signed {
  const last = made.at(-1);
  if (last === undefined) throw new Error('no signature was made');
  const { bytes, contentType } = last;
  const replies = made.map(({ reply }) => reply);
  const trail = replies[0]?.auditTrail;
  const documentSha256 = createHash('sha256').update(bytes).digest('hex');
  const reply = {
    signatures: replies.flatMap(({ signature }) => signature ?? []),
    ...(trail && { auditTrail: { ...trail, documentSha256 } }),
    warnings: distinct(replies.flatMap(({ warnings }) => warnings)),
  };
  return { bytes, contentType, reply };
}

function distinct(warnings: readonly SignWarning[]): SignWarning[] {
  return [...new Map(warnings.map((warning) => [`${warning.code} ${warning.message}`, warning])).values()];
}
