import { collectValidationData, type ValidationData } from '@scriptorium/pki/revocation';
import { fetcherTo, never } from '@scriptorium/testing/pki/fetching';
import type { Pki } from '@scriptorium/testing/pki/pki';

/** Collects validation data with access to these authorities only. */
export const collectFrom = (pki: Pki, certificates: Buffer[]): Promise<ValidationData> =>
  collectValidationData(certificates, fetcherTo(pki), never());
