import { AppError } from '@scriptorium/contracts/errors';
import { open } from '@scriptorium/sealing/sealed-box';
import type { Secret } from '../config.ts';

/** Decrypts a sealed key or password of a request. Throws AppError. */
export type Unseal = (requestId: string, box: string) => Buffer;

/** Throws INTERNAL_ERROR if this worker cannot open the gateway's boxes, which is a configuration error of `setting`. */
export function unsealer(secret: Secret | undefined, setting: string): Unseal {
  return (requestId, box) => {
    try {
      if (secret === undefined) throw new Error(`${setting} is not set`);
      return open(secret, requestId, box);
    } catch (cause) {
      throw new AppError('INTERNAL_ERROR', 'The key or password of the request could not be opened.', {
        cause,
      });
    }
  };
}
