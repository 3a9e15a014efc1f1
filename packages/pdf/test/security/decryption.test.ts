import { describe, expect, test } from '@jest/globals';
import { classicPdf, streamBody } from '@scriptorium/testing/fixtures/pdf/build';
import { onePage } from '@scriptorium/testing/fixtures/pdf/documents';
import { ENCRYPTION_KINDS, encryptedBy } from '@scriptorium/testing/fixtures/pdf/programs';
import { openPdf } from '../../src/read/open.ts';
import { Dict, PdfString, Stream } from '../../src/read/values.ts';
import { rc4 } from '../../src/security/rc4.ts';

/** RFC 6229, 2: the first 16 bytes of the key stream. */
test.each([
  ['0102030405', 'b2396305f03dc027ccc3524a0a1118a8'],
  ['01020304050607', '293f02d47f37c9b633f2af5285feb46b'],
  ['0102030405060708', '97ab8a1bf0afb96132f2f67258da15a8'],
  ['0102030405060708090a0b0c0d0e0f10', '9ac7cc9a609d1ef7b2932899cde41b97'],
])('RC4 with the key %s has the key stream of RFC 6229', (key, stream) => {
  expect(rc4(Buffer.from(key, 'hex'), Buffer.alloc(16)).toString('hex')).toBe(stream);
});

const METADATA = '<x:xmpmeta xmlns:x="adobe:ns:meta/">Metadata in the clear</x:xmpmeta>';
const TITLE = 'Title (of a \\ document)';
const source = classicPdf(
  onePage('', '/Metadata 6 0 R/Lang(de-CH)', [
    streamBody('/Type/Metadata/Subtype/XML', Buffer.from(METADATA)),
    `<</Title<${Buffer.from(TITLE).toString('hex')}>/Keywords[()(a)]>>`,
  ]),
  '/Info 7 0 R',
);

describe.each(ENCRYPTION_KINDS)('a document with %s', (kind) => {
  test.each([['disable'], ['generate']])(
    'has its strings and streams (object streams: %s)',
    async (streams) => {
      const pdf = await encryptedBy(source, {
        kind,
        user: 'Geheim',
        form: [`--object-streams=${streams}`, '--stream-data=preserve'],
      });
      expect(pdf.includes('Metadata in the clear')).toBe(kind.includes('without its metadata'));
      expect(pdf.includes('de-CH')).toBe(false);
      const { document } = openPdf(pdf, 'Geheim');
      const { value: catalog } = document.catalog;
      const metadata = document.get(catalog, 'Metadata');
      expect(metadata instanceof Stream && metadata.data.toString()).toBe(METADATA);
      const language = document.get(catalog, 'Lang');
      expect(language instanceof PdfString && language.text).toBe('de-CH');
      const info = document.get(document.trailer, 'Info');
      const [title, keywords] = ['Title', 'Keywords'].map(
        (key) => info instanceof Dict && document.get(info, key),
      );
      expect(title instanceof PdfString && title.text).toBe(TITLE);
      const texts = (Array.isArray(keywords) ? keywords : []).map(
        (item) => item instanceof PdfString && item.text,
      );
      expect(texts).toEqual(['', 'a']);
    },
  );
});
