import { type Check, faultsFor } from './check.ts';

/** Whether the signature value is that of the certificate that it names. */
export const signatureValue: Check = {
  name: 'signature',
  run({ evidence }) {
    const faults = faultsFor(evidence, 'signature');
    const { core } = evidence;
    if (faults.length > 0 || core === undefined) return faults.length > 0 ? faults : undefined;
    if (core.signatureHolds && core.signer !== undefined) return [];
    return [{ code: 'SIGNATURE_INVALID', message: 'The signature value is not that of its certificate.' }];
  },
};
