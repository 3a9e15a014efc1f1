import { BOUNDS, boundPassed } from '@scriptorium/ooxml/bounds';
import sanitizeHtml from 'sanitize-html';
import { mayFetch, safeStyleSheet } from '../sources/css.ts';
import type { DropLog } from '../sources/drop-log.ts';
import { HTML_ACTIVE, HTML_ATTRIBUTES, HTML_TAGS, HTML_UNSHOWN } from '../sources/html-rules.ts';
import { htmlPage } from '../sources/html-sanitizer.ts';

type Attributes = Record<string, string>;

/** A picture that the page has in itself. An SVG may have scripts. */
const OWN_PICTURE = /^data:image\/(?!svg)[\w.+-]+;base64,[A-Za-z0-9+/=]*$/;
/** Elements beside those that run something which LibreOffice never writes, and which take an address or hold others that do. */
const FOREIGN = new Set([
  'svg',
  'math',
  'link',
  'button',
  'input',
  'portal',
  'template',
  'noscript',
  'dialog',
]);
/** Attributes with an address (HTML, "Attributes"), also of old. */
const ADDRESSES = new Set([
  ...[
    'href',
    'xlink:href',
    'src',
    'srcset',
    'srcdoc',
    'action',
    'formaction',
    'data',
    'poster',
    'ping',
    'cite',
  ],
  ...[
    'background',
    'longdesc',
    'usemap',
    'manifest',
    'profile',
    'codebase',
    'classid',
    'archive',
    'dynsrc',
    'lowsrc',
    'imagesrcset',
    'attributionsrc',
  ],
]);

/** Attributes that hold one address. After `#`, it leads into the page. */
const WITHIN = new Set(['href', 'usemap']);
/** The beginning of a style sheet as LibreOffice writes it. */
const PLAIN_SHEET = /<style(?: [\w-]+="[^"<>]*")*>/iy;
/** Browsers end it at the first `>`, and the parser does not. */
const SECTION = '<![';
const SHOWN_CHARS = 100;

/**
 * Vets a page that LibreOffice wrote. Returns the same page if everything in it only shows something. Otherwise, the page is
 * written anew from the elements and attributes of the allow list. `vetLink` returns the address that a link gets. Throws
 * DOCUMENT_TOO_COMPLEX for elements that are nested too deep: the time of the parser grows with it.
 */
export function vetHtml(
  html: string,
  vetLink: (address: string) => string | undefined,
  drops: DropLog,
): string {
  let isChanged = false;
  let depth = 0;
  const drop: DropLog['add'] = (...what) => {
    isChanged = true;
    drops.add(...what);
  };
  const body = sanitizeHtml(html, {
    allowedTags: HTML_TAGS,
    allowedAttributes: HTML_ATTRIBUTES,
    nonTextTags: HTML_UNSHOWN,
    allowedSchemesAppliedToAttributes: [],
    parseStyleAttributes: false,
    onOpenTag(name, attributes) {
      if (++depth > BOUNDS.depthMax) throw boundPassed('depthMax');
      if (HTML_ACTIVE.has(name) || FOREIGN.has(name)) drop('active content', 'html', name);
      if (name === 'meta' && /refresh/i.test(attributes['http-equiv'] ?? ''))
        drop('active content', 'html', 'meta refresh');
    },
    onCloseTag: () => void depth--,
    transformTags: {
      '*': (tagName, attributes) => {
        const attribs: Attributes = {};
        for (const [name, value] of Object.entries(attributes)) {
          const vetted = vetAttribute(tagName, name, value, vetLink);
          if (vetted !== undefined) attribs[name] = vetted;
          if (vetted === undefined && value !== '') drop(...describe(tagName, name, value));
          else isChanged ||= vetted !== value;
        }
        return { tagName, attribs };
      },
    },
  });
  if (html.includes(SECTION)) drop('active content', 'html', SECTION);
  for (const { index } of html.matchAll(/<style/gi))
    if (!isPlainSheet(html, index)) drop('style', 'html', html.slice(index, index + SHOWN_CHARS));
  const css = safeStyleSheet(rawElements(html, 'style').join('\n'), (text) => drop('style', 'html', text));
  if (!isChanged) return html;
  const title = sanitizeHtml(rawElements(html, 'title')[0] ?? '', { allowedTags: [] }).trim();
  return htmlPage({ title, css, body }).toString();
}

/**
 * The text of all raw text elements with this name. One without an end goes on to the end of the page. Text that only looks
 * like such an element is checked in the same way.
 */
function rawElements(html: string, name: string): string[] {
  const found: string[] = [];
  const tags = new RegExp(`<(/?)${name}(?=[\\s/>])`, 'gi');
  let start: number | undefined;
  for (const { index, 1: slash } of html.matchAll(tags)) {
    if (start === undefined && slash === '') {
      const end = html.indexOf('>', index);
      if (end === -1) return found;
      start = end + 1;
    } else if (start !== undefined && slash === '/' && index >= start) {
      found.push(html.slice(start, index));
      start = undefined;
    }
  }
  if (start !== undefined) found.push(html.slice(start));
  return found;
}

/** Whether programs agree where a style sheet ends, and that it has no comment. */
function isPlainSheet(html: string, at: number): boolean {
  PLAIN_SHEET.lastIndex = at;
  if (!PLAIN_SHEET.test(html)) return false;
  const start = PLAIN_SHEET.lastIndex;
  const end = html.indexOf('<', start);
  return html.startsWith('</style>', end) && !html.slice(start, end).includes('/*');
}

/** The value that an attribute gets; undefined if it goes. */
function vetAttribute(
  tag: string,
  name: string,
  value: string,
  vetLink: (address: string) => string | undefined,
): string | undefined {
  if (name.startsWith('on')) return undefined;
  if (name === 'style') return mayFetch(value) ? undefined : value;
  if (!ADDRESSES.has(name) || (WITHIN.has(name) && value.startsWith('#'))) return value;
  if (tag === 'a' && name === 'href') return vetLink(value);
  return tag === 'img' && name === 'src' && OWN_PICTURE.test(value) ? value : undefined;
}

function describe(tag: string, name: string, value: string): Parameters<DropLog['add']> {
  if (!ADDRESSES.has(name)) return ['active content', 'html', `${tag} ${name}`];
  if (tag === 'a' && name === 'href') return ['unsafe link', 'html', value];
  return [/action$/.test(name) ? 'form action' : 'external link', 'html', value];
}
