import { outcomeOf, withFiles } from './programs.ts';

/** A signature as poppler reports it. */
export interface PopplerSignature {
  field: string;
  /** `Signature is Valid.` if digest and value are valid; certificates are not checked. */
  validation: string;
  /** Whether the signed bytes reach the end of the file. */
  coversAll: boolean;
}

/** Poppler's result for each signature of a PDF, in the order of its fields on the pages; the password is the user's. */
export function pdfsig(pdf: Uint8Array, password = ''): Promise<PopplerSignature[]> {
  return withFiles([pdf], '.pdf', async ([path]) => {
    const { text } = await outcomeOf('pdfsig', ['-nocert', '-upw', password, path ?? '']);
    const parts = text.split(/^Signature #\d+:$/m).slice(1);
    const signed = parts.filter((part) => !part.includes('The signature form field is not signed'));
    return signed.map((part) => ({
      field: /Signature Field Name: (.*)/.exec(part)?.[1] ?? '',
      validation: /Signature Validation: (.*)/.exec(part)?.[1] ?? part,
      coversAll: part.includes('- Total document signed'),
    }));
  });
}

/** qpdf's complaints about a PDF's structure; `[]` if there are none. */
export function qpdfComplaints(pdf: Uint8Array, password = ''): Promise<string[]> {
  return withFiles([pdf], '.pdf', async ([path]) => {
    const { status, text } = await outcomeOf('qpdf', ['--check', `--password=${password}`, path ?? '']);
    if (status === 0) return [];
    return text.split('\n').filter((line) => /warning|error|WARNING|ERROR/.test(line));
  });
}

/** MuPDF's result for each signature of a PDF; it checks no certificates, and only detects that there are edits. */
export function mutoolVerdicts(pdf: Uint8Array): Promise<string[]> {
  return withFiles([pdf], '.pdf', async ([path]) => {
    const { text } = await outcomeOf('mutool', ['sign', '-v', path ?? '']);
    const parts = text.split(/^Verifying signature \d+:$/m).slice(1);
    const signed = parts.filter((part) => !part.includes('Signature is not signed'));
    return signed.map((part) => part.trim().split('\n').at(-1)?.trim() ?? '');
  });
}

/** The text of a PDF as poppler shows it. */
export function pdfText(pdf: Uint8Array, password = ''): Promise<string> {
  return withFiles([pdf], '.pdf', async ([path]) => {
    return (await outcomeOf('pdftotext', ['-layout', '-upw', password, path ?? '', '-'])).text;
  });
}
