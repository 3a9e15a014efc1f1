/** The HTML elements that Writer displays. Others lose their tags and keep their text. */
export const HTML_TAGS = [
  ...['body', 'div', 'p', 'span', 'br', 'wbr', 'hr', 'pre', 'blockquote', 'center', 'address'],
  ...[
    'article',
    'aside',
    'details',
    'figcaption',
    'figure',
    'footer',
    'header',
    'main',
    'nav',
    'section',
    'summary',
  ],
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'li', 'dl', 'dt', 'dd'],
  ...['table', 'caption', 'colgroup', 'col', 'thead', 'tbody', 'tfoot', 'tr', 'th', 'td'],
  ...[
    'a',
    'img',
    'b',
    'strong',
    'i',
    'em',
    'u',
    's',
    'strike',
    'del',
    'ins',
    'sub',
    'sup',
    'small',
    'big',
    'font',
  ],
  ...['code', 'kbd', 'samp', 'tt', 'var', 'cite', 'q', 'abbr', 'dfn', 'mark', 'time', 'bdi', 'bdo'],
];

/** Elements inside a paragraph. The others begin one. */
export const HTML_INLINE = new Set([
  ...[
    'a',
    'abbr',
    'b',
    'bdi',
    'bdo',
    'big',
    'br',
    'cite',
    'code',
    'del',
    'dfn',
    'em',
    'font',
    'i',
    'img',
    'ins',
    'kbd',
  ],
  ...[
    'mark',
    'q',
    's',
    'samp',
    'small',
    'span',
    'strike',
    'strong',
    'sub',
    'sup',
    'time',
    'tt',
    'u',
    'var',
    'wbr',
  ],
]);

const CELL = ['colspan', 'rowspan', 'headers', 'scope', 'nowrap', 'char', 'charoff'];

export const HTML_ATTRIBUTES: Record<string, string[]> = {
  '*': ['id', 'class', 'style', 'title', 'lang', 'dir', 'align', 'valign', 'width', 'height', 'bgcolor'],
  a: ['href', 'name'],
  body: ['text', 'link', 'vlink', 'alink'],
  br: ['clear'],
  col: ['span'],
  colgroup: ['span'],
  font: ['face', 'size', 'color'],
  hr: ['size', 'color', 'noshade'],
  img: ['src', 'alt', 'border', 'hspace', 'vspace'],
  li: ['value', 'type'],
  ol: ['start', 'type'],
  table: ['border', 'cellpadding', 'cellspacing', 'frame', 'rules', 'summary', 'bordercolor'],
  td: CELL,
  th: CELL,
  ul: ['type'],
};

/** Elements whose text is not part of the page. */
export const HTML_UNSHOWN = [
  ...[
    'script',
    'style',
    'textarea',
    'option',
    'xmp',
    'title',
    'template',
    'svg',
    'iframe',
    'noembed',
    'noframes',
  ],
];

/** Elements that run, fetch or send something. */
export const HTML_ACTIVE = new Set([
  ...[
    'script',
    'iframe',
    'frame',
    'frameset',
    'object',
    'embed',
    'applet',
    'bgsound',
    'portal',
    'fencedframe',
  ],
  ...['audio', 'video', 'source', 'track', 'base'],
]);
