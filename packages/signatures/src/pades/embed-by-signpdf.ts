import { createHash } from 'node:crypto';
import { SignPdf } from '@signpdf/signpdf';
import { Signer } from '@signpdf/utils';
import { type CmsMaker, type PreparedPdf, requireRoom } from './prepared.ts';

/** SignPdf copies a document five times. Above this size, the copies are most of the memory of a signature. */
const BYTES_MAX = 64 * 1024;
/** The placeholder that SignPdf searches for and replaces with the byte range. */
const PLACEHOLDER = '/ByteRange [0 /********** /********** /**********]';
const BEFORE_RANGE = '/ByteRange [';
const BEFORE_VALUE = '/Contents ';

/** Passes an existing CMS to SignPdf. */
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
 * Whether SignPdf may embed the signature: not in a large document, and not if other content looks like a placeholder,
 * because SignPdf searches raw bytes.
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

/** Embeds the signature with SignPdf. `prepared` must suit it, and the caller must have reserved enough room for the CMS. */
export async function embedBySignPdf(prepared: PreparedPdf, maker: CmsMaker): Promise<PreparedPdf> {
  const { byteRange, fieldName } = prepared;
  const withPlaceholder = Buffer.from(prepared.bytes);
  withPlaceholder.write(PLACEHOLDER, rangeStart(prepared), 'latin1');
  const bytes = await new SignPdf().sign(withPlaceholder, new CmsSigner(prepared, maker));
  const [first, gapStart, gapEnd] = byteRange;
  // The line end after the last line is left out.
  return { bytes, fieldName, byteRange: [first, gapStart, gapEnd, bytes.length - gapEnd] };
}
