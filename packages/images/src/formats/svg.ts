import { Budget } from '@scriptorium/ooxml/bounds';
import { OoxmlError } from '@scriptorium/ooxml/error';
import { decodeXml, scanXml, XmlError } from '@scriptorium/ooxml/xml';
import { type Drawing, rasterise } from '../svg/rasteriser.ts';
import { SvgRefusal } from '../svg/svg-style.ts';
import { ImageRefusal } from './refusal.ts';

const NAME = 'the image';
const STYLE_SHEET_ELSEWHERE = /<\?xml-stylesheet/i;
/** What a browser that opens the image would run. */
const HANDLER = /^on/i;
const SCRIPT_ADDRESS = /^\s*(?:javascript|vbscript|data)\s*:/i;

/**
 * Draws an SVG image that shows what it holds itself and does nothing: no reference to the outside, no scripts.
 * Rejects with ImageRefusal.
 */
export async function drawSvg(svg: Buffer): Promise<Drawing> {
  try {
    refuseScripts(decodeXml(svg).xml);
    return await rasterise(svg, NAME);
  } catch (error) {
    if (error instanceof XmlError) throw new ImageRefusal(`is no sound SVG image: it has ${error.message}`);
    if (error instanceof SvgRefusal || error instanceof OoxmlError)
      throw new ImageRefusal(`is an SVG image that is not taken: ${error.message}`);
    throw error;
  }
}

function refuseScripts(xml: string): void {
  if (STYLE_SHEET_ELSEWHERE.test(xml)) throw new SvgRefusal('its style refers to another file');
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
    if (runs) throw new SvgRefusal('it holds a script');
  };
  scanXml(xml, [{ '*': { open } }], { budget: new Budget(), part: NAME });
}
