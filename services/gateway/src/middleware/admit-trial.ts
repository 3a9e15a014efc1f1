import { AppError } from '@scriptorium/contracts/errors';
import type { PublicSigningKey } from '@scriptorium/contracts/jobs/signing-key';
import { TRIAL_DOCUMENT_BYTES_MAX, type TrialKeys } from '../auth/trial-keys.ts';
import { type Middleware, ownerOf } from '../http/context.ts';
import { declaredBytes } from './receive-json.ts';

/** Room for the other parts of a form, or the other values of a JSON body. */
const OVERHEAD_BYTES = 256 * 1024;
const FORM_BYTES_MAX = TRIAL_DOCUMENT_BYTES_MAX + OVERHEAD_BYTES;
/** Base64 adds a third. */
const JSON_BYTES_MAX = Math.ceil((TRIAL_DOCUMENT_BYTES_MAX * 4) / 3) + OVERHEAD_BYTES;

/**
 * Holds what a trial key may do beside its rights: small bodies, a number of operations, and signing with a development key
 * only. Other keys pass. `isCounted`: the request is an operation; a batch counts its rows.
 */
export function admitTrial(
  trials: TrialKeys,
  readKey: () => Promise<PublicSigningKey>,
  isCounted: boolean,
): Middleware {
  return async (request, response, next) => {
    const owner = ownerOf(response);
    if (owner.rights.origin !== 'trial') return next();
    const bytes = declaredBytes(request);
    if (bytes === undefined && request.headers['transfer-encoding'] !== undefined)
      throw new AppError('PAYLOAD_TOO_LARGE', 'With a trial key, send the Content-Length of the body.');
    const isForm = request.headers['content-type']?.startsWith('multipart/') ?? false;
    if ((bytes ?? 0) > (isForm ? FORM_BYTES_MAX : JSON_BYTES_MAX))
      throw new AppError(
        'PAYLOAD_TOO_LARGE',
        `With a trial key, a document has at most ${TRIAL_DOCUMENT_BYTES_MAX} bytes.`,
      );
    response.locals.maySignAsService = await readKey().then(
      ({ isDevelopmentKey }) => isDevelopmentKey,
      () => false,
    );
    if (isCounted) {
      response.setHeader('X-Trial-Remaining', await trials.take(owner, 1));
    }
    next();
  };
}
