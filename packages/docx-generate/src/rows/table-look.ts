import { attributeOf, childOf, childValue, descendantsOf, type XmlNode } from '@scriptorium/ooxml/xml';

const OFF = /^(?:0|false|off)$/;
const [NO_BANDS, LAST_ROW] = [0x200, 0x40];

/** Table styles of the document, as far as rows depend on those before them. */
export interface Bands {
  isThere: boolean;
  /** Rows after which the look of rows repeats; infinite if it is not known. */
  period: number;
}

/** `styles`: the root of the styles. Undefined if the document has none. */
export function bandsOf(styles: XmlNode | undefined): Bands {
  const nodes = styles === undefined ? [] : [...descendantsOf(styles)];
  return {
    isThere: nodes.some(
      (node) => node.name === 'w:tblStylePr' && /^band[12]Horz$/.test(attributeOf(node, 'w:type') ?? ''),
    ),
    period: nodes.every(hasSmallBands) ? 2 : Number.POSITIVE_INFINITY,
  };
}

/** What the look of the rows of a table depends on (ECMA-376-1 §17.4.55). */
export function lookOf(table: XmlNode, bands: Bands) {
  const properties = childOf(table, 'w:tblPr');
  const look = properties && childOf(properties, 'w:tblLook');
  const bits = Number.parseInt((look && attributeOf(look, 'w:val')) ?? '0', 16);
  const is = (name: string, bit: number) => {
    const value = look && attributeOf(look, name);
    return value === undefined ? (bits & bit) !== 0 : !OFF.test(value);
  };
  const hasStyle = properties !== undefined && childValue(properties, 'w:tblStyle') !== undefined;
  return {
    hasBands: bands.isThere && hasStyle && !is('w:noHBand', NO_BANDS),
    hasLast: is('w:lastRow', LAST_ROW),
    period: properties?.children.every(hasSmallBands) === false ? Number.POSITIVE_INFINITY : bands.period,
  };
}

const hasSmallBands = (node: XmlNode): boolean =>
  node.name !== 'w:tblStyleRowBandSize' || attributeOf(node, 'w:val') === '1';
