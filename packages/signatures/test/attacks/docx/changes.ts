import type { RawSigner } from '@scriptorium/pki/keys';
import type { ReasonCode } from '../../../src/reasons.ts';
import { type Files, replaceIn } from '../../docx/resigned.ts';

export const MAIN = 'word/document.xml';
export const MAIN_RELS = 'word/_rels/document.xml.rels';
export const TYPES = '[Content_Types].xml';
export const ORIGIN_RELS = '_xmlsignatures/_rels/origin.sigs.rels';
export const R = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
export const W = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
export const DSIG = 'http://www.w3.org/2000/09/xmldsig#';
export const WORD = 'application/vnd.openxmlformats-officedocument.wordprocessingml';

export const NO_RELATIONSHIPS =
  '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"></Relationships>';
const DIGITAL_SIGNATURE = 'http://schemas.openxmlformats.org/package/2006/relationships/digital-signature';
export const ORIGIN_RELATIONSHIP = `${DIGITAL_SIGNATURE}/origin`;
export const SIGNATURE_RELATIONSHIP = `${DIGITAL_SIGNATURE}/signature`;

/** A change to a signed letter, and the codes of all resulting faults of its signature. */
export type Attack = [
  what: string,
  change: (files: Files, signer: RawSigner) => unknown,
  codes: ReasonCode[],
];

export function addPart(files: Files, name: string, data: string, contentType?: string): void {
  files.set(name, Buffer.from(data));
  if (contentType !== undefined)
    replaceIn(
      files,
      TYPES,
      '</Types>',
      `<Override PartName="/${name}" ContentType="${contentType}"/></Types>`,
    );
}

export function relate(
  files: Files,
  rels: string,
  id: string,
  type: string,
  target: string,
  mode = '',
): void {
  const written = `<Relationship Id="${id}" Type="${type}" Target="${target}"${mode && ` TargetMode="${mode}"`}/>`;
  replaceIn(files, rels, '</Relationships>', `${written}</Relationships>`);
}

export function rename(files: Files, from: string, to: string): void {
  const data = files.get(from);
  if (data === undefined) throw new Error(`no ${from}`);
  files.delete(from);
  files.set(to, data);
}
