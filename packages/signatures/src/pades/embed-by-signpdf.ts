import { createHash } from 'node:crypto';
import { SignPdf } from '@signpdf/signpdf';
import { Signer } from '@signpdf/utils';
import { type CmsMaker, type PreparedPdf, requireRoom } from './prepared.ts';

/** SignPdf copies a document several times: up to here for a millisecond or two, at 20 MB for as long as five signatures take. */
const BYTES_MAX = 1024 * 1024;
/** What SignPdf looks for, and writes the byte range in place of. */
const PLACEHOLDER = '/ByteRange [0 /********** /********** /**********]';
const BEFORE_RANGE = '/ByteRange [';
const BEFORE_VALUE = '/Contents ';

/** Gives SignPdf the CMS that somebody else makes. */
class CmsSigner extends Signer {
  readonly #prepared: PreparedPdf;
  readonly #maker: CmsMaker;

  constructor(prepared: PreparedPdf, maker: CmsMaker) {
    super();
    this.#prepared = prepared;
    this.#maker = maker;
  }

  override async sign(signed: Buffer): Promise<Buffer> {
    const cms = await this.#maker.cms(createHash(this.#maker.hash).update(signed).digest());
    requireRoom(this.#prepared, cms);
    return cms;
  }
}

const rangeStart = ({ byteRange: [, gapStart] }: PreparedPdf): number =>
  gapStart - BEFORE_VALUE.length - PLACEHOLDER.length;

/**
 * Whether SignPdf may embed the signature: not in a large document, and not where something in it looks like a placeholder, for
 * SignPdf looks at bytes, whatever they are part of.
 */
export function suitsSignPdf(prepared: PreparedPdf): boolean {
  const { bytes } = prepared;
  const start = rangeStart(prepared);
  return (
    bytes.length <= BYTES_MAX &&
    bytes.toString('latin1', start, start + BEFORE_RANGE.length) === BEFORE_RANGE &&
    !bytes.includes('/**********')
  );
}

/** Has SignPdf embed the signature. `prepared` must suit it; a CMS that does not fit is a fault of whoever sized the gap. */
export async function embedBySignPdf(prepared: PreparedPdf, maker: CmsMaker): Promise<PreparedPdf> {
  const { byteRange, fieldName } = prepared;
  const withPlaceholder = Buffer.from(prepared.bytes);
  withPlaceholder.write(PLACEHOLDER, rangeStart(prepared), 'latin1');
  const bytes = await new SignPdf().sign(withPlaceholder, new CmsSigner(prepared, maker));
  const [first, gapStart, gapEnd] = byteRange;
  // The line end behind the last line is left out.
  return { bytes, fieldName, byteRange: [first, gapStart, gapEnd, bytes.length - gapEnd] };
}
