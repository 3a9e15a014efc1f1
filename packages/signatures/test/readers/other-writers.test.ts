import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { few } from '@scriptorium/testing/extent';
import { fetcherTo } from '@scriptorium/testing/pki/fetching';
import { judged } from '../attacks/judged.ts';

/** A change of a signed file. `bytes` follow those of the base. */
interface OtherUpdate {
  writer: string;
  base: string;
  action: string;
  verdict: 'valid' | 'indeterminate';
  bytes: string;
}

interface OtherWriters {
  anchors: string[];
  bases: Record<string, string>;
  updates: OtherUpdate[];
}

/**
 * Signed forms by pdf-lib with a table and with streams, a tagged text by LibreOffice, and a tagged form with inherited boxes. Each was
 * changed once by iText 2.1.7 and 5.5.13, PDFBox 2.0.27, Poppler 22.12 (as Evince does), PyMuPDF 1.21 and pdf-lib 2.11.
 */
const FILE = new URL('files/updates-by-other-writers.json.gz', import.meta.url);
const { anchors, bases, updates } = JSON.parse(gunzipSync(readFileSync(FILE)).toString()) as OtherWriters;
const binary = (base64: string | undefined) => Buffer.from(base64 ?? '', 'base64');
const lab = { anchors: anchors.map(binary), fetcher: fetcherTo() };
/** While the certificates of the files are valid. */
const AT = { validationTime: '2026-12-01T00:00:00Z' };

/** Doubtful are highlights without a look, and buttons whose new looks cannot be compared with the old ones. */
test.each(few(updates, 8, 27))(
  '$writer in the base of $base: $action is $verdict',
  async ({ base, bytes, verdict }) => {
    const pdf = Buffer.concat([binary(bases[base]), binary(bytes)]);
    const reply = await judged(lab, pdf, 'none', AT);
    const { modifications } = reply.signatures[0] ?? { modifications: [] };
    expect(modifications.filter(({ level }) => level === 'forbidden')).toEqual([]);
    expect(reply.verdict).toBe(verdict);
    expect(reply.documentModified).not.toBe('forbidden');
  },
);
