import { odfXml } from '@scriptorium/testing/fixtures/odt';
import type { ZipEntry } from '@scriptorium/testing/fixtures/zip';
import { partsOf, prepare } from './sanitizer-under-test.ts';

export const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/evil"/></svg>';

/** A paragraph with a frame around this content. */
export function frame(inner: string): string {
  return `<text:p>before<draw:frame svg:width="1cm" svg:height="1cm">${inner}</draw:frame>after</text:p>`;
}

/** A paragraph with a picture from this address. */
export function image(href: string): string {
  return frame(`<draw:image xlink:href="${href}" xlink:type="simple"/>`);
}

/** The content of an object with this body. */
export function chart(body: string): ZipEntry {
  return { name: 'Object 1/content.xml', data: odfXml('content', `<office:body>${body}</office:body>`) };
}

/** A chart with data of the document. */
export const CHART = chart(
  '<office:chart><chart:chart xlink:href=".." chart:class="chart:bar"/></office:chart>',
);

/** The parts of the sanitized package of a document. */
export async function rebuilt(document: Buffer): Promise<Record<string, string>> {
  const { bytes } = await prepare('odt', document);
  return await partsOf(bytes);
}
