export { linesOf, run } from '../fields/text.ts';
export { HtmlContent } from '../html/content.ts';
export { hyperlink, isLinkAddress, linkLook } from '../html/link.ts';
export { HtmlRefusal } from '../html/shown-markup.ts';
