import { escapeXml } from '@scriptorium/ooxml/xml';

/** Markup that is already written. */
export class Xml {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Attributes = Record<string, string>;

/** Characters that XML 1.0 does not permit (§2.2). */
const ILLEGAL = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

const escaped = (text: string): string => escapeXml(text.toWellFormed().replace(ILLEGAL, '\ufffd'));

/** Writes an element. Empty children are left out; texts are escaped. */
export function element(name: string, ...content: (Attributes | Xml | string | false | undefined)[]): Xml {
  let attributes = '';
  let children = '';
  for (const each of content) {
    if (each === undefined || each === false) continue;
    if (typeof each === 'string') children += escaped(each);
    else if (each instanceof Xml) children += each.text;
    else for (const [key, value] of Object.entries(each)) attributes += ` ${key}="${escaped(value)}"`;
  }
  return new Xml(children === '' ? `<${name}${attributes}/>` : `<${name}${attributes}>${children}</${name}>`);
}
