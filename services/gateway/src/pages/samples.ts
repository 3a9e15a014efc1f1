import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Samples } from '../http/route.ts';

/** Folder of the files that pages need. Ends in a slash. */
export const assetsFolder = fileURLToPath(new URL('../../assets/', import.meta.url));

const NAMES: Record<keyof Samples, string> = {
  document: 'sample.docx',
  template: 'sample-template.docx',
  signed: 'sample-signed.docx',
};

export type SampleFiles = Record<keyof Samples, Buffer>;

/** Reads the sample documents: they are small, and stay in memory. */
export async function readSamples(): Promise<SampleFiles> {
  const entries = Object.entries(NAMES).map(
    async ([sample, name]) => [sample, await readFile(assetsFolder + name)] as const,
  );
  return Object.fromEntries(await Promise.all(entries)) as SampleFiles;
}

/** Returns the samples in base64, for examples. */
export function samplesInBase64(files: SampleFiles): Samples {
  const { document, template, signed } = files;
  const base64 = (bytes: Buffer): string => bytes.toString('base64');
  return { document: base64(document), template: base64(template), signed: base64(signed) };
}
