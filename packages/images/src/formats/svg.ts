import { Budget } from '@scriptorium/ooxml/bounds';
import { OoxmlError } from '@scriptorium/ooxml/error';
import { decodeXml, scanXml, XmlError } from '@scriptorium/ooxml/xml';
import { type Drawing, rasterize } from '../svg/rasterizer.ts';
import { SvgRefusal } from '../svg/svg-style.ts';
import { ImageRefusal } from './refusal.ts';

const NAME = 'the image';
const EXTERNAL_STYLE_SHEET = /<\?xml-stylesheet/i;
/** Attributes that a browser would run when it opens the image. */
const HANDLER = /^on/i;
const SCRIPT_ADDRESS = /^\s*(?:javascript|vbscript|data)\s*:/i;

/**
 * Draws an SVG image that is self-contained and passive: no external reference, no scripts. Rejects with
 * ImageRefusal.
 */
export async function drawSvg(svg: Buffer): Promise<Drawing> {
  try {
    refuseScripts(decodeXml(svg).xml);
    return await rasterize(svg, NAME);
  } catch (error) {
    if (error instanceof XmlError)
      throw new ImageRefusal(`is not a valid SVG image: it has ${error.message}`);
    if (error instanceof SvgRefusal || error instanceof OoxmlError)
      throw new ImageRefusal(`is an SVG image that is not supported: ${error.message}`);
    throw error;
  }
}

function refuseScripts(xml: string): void {
  if (EXTERNAL_STYLE_SHEET.test(xml)) throw new SvgRefusal('its style refers to another file');
  const open = ({
    name,
    attributes,
  }: {
    name: string;
    attributes: readonly { name: string; value: string }[];
  }) => {
    const runs = attributes.some(
      (attribute) =>
        HANDLER.test(attribute.name) ||
        (name === 'svg:a' && attribute.name.endsWith('href') && SCRIPT_ADDRESS.test(attribute.value)),
    );
    if (runs) throw new SvgRefusal('it contains a script');
  };
  scanXml(xml, [{ '*': { open } }], { budget: new Budget(), part: NAME });
}
