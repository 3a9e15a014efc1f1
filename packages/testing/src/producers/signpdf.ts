import { plainAddPlaceholder } from '@signpdf/placeholder-plain';
import { P12Signer } from '@signpdf/signer-p12';
import { SignPdf } from '@signpdf/signpdf';
import type { Identity } from '../pki/identity.ts';

const PASSWORD = 'secret';

/** Signed by the packages of signpdf and node-forge: `adbe.pkcs7.detached`, a signing time, no ESS attribute. RSA only. */
export async function signedBySignpdf(pdfBuffer: Buffer, signer: Identity): Promise<Buffer> {
  const prepared = plainAddPlaceholder({
    pdfBuffer,
    reason: 'As agreed',
    contactInfo: 'nobody@example.com',
    name: signer.name,
    location: 'Vienna',
  });
  const p12 = await signer.p12(PASSWORD, { isLegacy: true });
  return new SignPdf().sign(prepared, new P12Signer(p12, { passphrase: PASSWORD }));
}
