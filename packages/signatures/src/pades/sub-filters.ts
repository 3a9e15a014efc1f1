import type { CmsKind } from '@scriptorium/pki/cms';
import type { SignatureEvidence } from '../evidence.ts';

/** The format of a signature value, by its /SubFilter (ISO 32000-2, table 260 and 12.8.5). */
export interface SubFilter {
  format: SignatureEvidence['format'];
  kind: CmsKind;
}

const SUB_FILTERS: Record<string, SubFilter> = {
  'ETSI.CAdES.detached': { format: 'PAdES', kind: 'detached' },
  'adbe.pkcs7.detached': { format: 'PKCS7', kind: 'detached' },
  'adbe.pkcs7.sha1': { format: 'PKCS7', kind: 'sha1' },
  'ETSI.RFC3161': { format: 'RFC3161', kind: 'timestamp' },
};

/** Returns undefined for an unsupported subfilter. */
export const subFilterOf = (name: string): SubFilter | undefined =>
  Object.hasOwn(SUB_FILTERS, name) ? SUB_FILTERS[name] : undefined;
