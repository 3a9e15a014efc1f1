import { attributeOf, childOf, type XmlNode } from '@scriptorium/ooxml/xml';

/** A signature line of Word (MS-OI29500, 2.1.1750): a picture with a line for a signer. */
interface SignatureLine {
  role: string;
  signer: string;
  imageId: string;
  /** In points. */
  width: number;
  height: number;
}

const SIDE = { width: /(?:^|;)\s*width:\s*([\d.]{1,8})pt/i, height: /(?:^|;)\s*height:\s*([\d.]{1,8})pt/i };
const DEFAULT = { width: 192, height: 96 };

/** Reads a `w:pict` with a signature line that stands alone in its run. Undefined for others. */
export function signatureLine(pict: XmlNode): SignatureLine | undefined {
  const shape = childOf(pict, 'v:shape');
  const line = shape && childOf(shape, 'o:signatureline');
  const image = shape && childOf(shape, 'v:imagedata');
  const imageId = image && attributeOf(image, 'r:id');
  if (shape === undefined || line === undefined || imageId === undefined || pict.parent?.name !== 'w:r')
    return undefined;
  const style = attributeOf(shape, 'style') ?? '';
  const side = (name: 'width' | 'height') => Number(SIDE[name].exec(style)?.[1] ?? DEFAULT[name]);
  const signer = (attributeOf(line, 'o:suggestedsigner') ?? '').trim();
  return { role: roleOf(signer), signer, imageId, width: side('width'), height: side('height') };
}

/** A name for a field: `Ada Lovelace` becomes `Ada_Lovelace`. */
function roleOf(signer: string): string {
  const role = signer.replace(/[^\p{L}\p{N}]+/gu, '_').replace(/^_|_$/g, '');
  return role.slice(0, 28).replace(/_$/, '') || 'signature';
}
