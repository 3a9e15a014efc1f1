import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { outcomeOfJava } from '../judges/java.ts';
import { withFiles } from '../judges/programs.ts';
import type { Identity } from '../pki/identity.ts';

const SOURCE = join(import.meta.dirname, 'PdfProducer.java');
const PASSWORD = 'secret';

function produced(inputs: readonly Uint8Array[], args: (paths: string[], out: string) => string[]) {
  return withFiles(inputs, '.bin', async (paths, folder) => {
    const out = join(folder, 'out.pdf');
    const { status, text } = await outcomeOfJava(SOURCE, args(paths, out));
    if (status !== 0) throw new Error(`PDFBox failed: ${text}`);
    return readFile(out);
  });
}

/** Signed by PDFBox and Bouncy Castle: `adbe.pkcs7.detached`, BER, no ESS attribute. A level of 1, 2 or 3 certifies. */
export async function signedByPdfbox(pdf: Uint8Array, signer: Identity, level = 0): Promise<Buffer> {
  const p12 = await signer.p12(PASSWORD);
  return produced([pdf, p12], ([source = '', keys = ''], out) => [
    'sign',
    source,
    out,
    keys,
    PASSWORD,
    String(level),
  ]);
}

/** Fills in a field with PDFBox, which draws it and appends the changes. */
export const filledByPdfbox = (pdf: Uint8Array, field: string, value: string): Promise<Buffer> =>
  produced([pdf], ([source = ''], out) => ['fill', source, out, field, value]);
