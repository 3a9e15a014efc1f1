export { weaknesses } from '../cms/check-signature.ts';
export { readBundle } from '../cms/read-signed-data.ts';
export { openTimestampOver, type TimestampEvidence } from '../cms/signature-timestamps.ts';
export { signedAttributes } from '../cms/signed-attributes.ts';
export type { CmsKind } from '../cms/signed-content.ts';
export { readSignedCore, type SignedCore } from '../cms/signed-core.ts';
export { cmsSizeMax, type SignedData, signedData } from '../cms/signed-data.ts';
