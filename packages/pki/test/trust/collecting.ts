import { fetcherTo, never } from '@scriptorium/testing/pki/fetching';
import type { Pki } from '@scriptorium/testing/pki/pki';
import type { ValidationData } from '../../src/keys/raw-signer.ts';
import { collectValidationData } from '../../src/revocation/validation-data.ts';

/** Collects validation data with access to these authorities only. */
export const collectFrom = (pki: Pki, certificates: Buffer[]): Promise<ValidationData> =>
  collectValidationData(certificates, fetcherTo(pki), never());
