import { deflateSync } from 'node:zlib';
import { Ref } from '@scriptorium/pdf/read';
import type { Update } from '@scriptorium/pdf/update';
import { classicPdf, streamBody, xrefStreamPdf } from '@scriptorium/testing/fixtures/pdf/build';
import { onePage, plainPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import type { Attack, AttackClass } from '../attack.ts';
import type { Lab } from '../lab.ts';
import { addAnnotation, changeCatalog, replaced, shownText, updated } from './edit.ts';

const HIDDEN = `\nendstream\nendobj\n4 0 obj\n${shownText('Pay 900 EUR to Mallory')}\nendobj\n`;
const HEAD = '4 0 obj <</Length 0>>';
const BOMB_BYTES = 80 * 1024 * 1024;
const latin1 = (text: string) => Buffer.from(text, 'latin1');
const hex = (text: string) => latin1(text).toString('hex');
const unfiltered = (update: Update, data: Buffer | string) =>
  update.add(streamBody('', Buffer.from(data as string, 'latin1')));

/** Changes a document in which a signature forbids all changes. */
const certified = (
  name: string,
  codes: Attack['codes'],
  change: (update: Update, lab: Lab) => void,
): Attack => ({
  name,
  verdict: 'indeterminate',
  codes,
  make: async (lab) =>
    updated(await lab.sign(plainPdf(), { certify: 'noChanges' }), (update) => change(update, lab)),
});

/** Adds a store; `make` returns its keys. */
const store = (name: string, make: (update: Update, lab: Lab) => string): Attack =>
  certified(name, ['MODIFICATION_DOUBTFUL'], (update, lab) =>
    changeCatalog(update, { DSS: `<<${make(update, lab)}>>` }),
  );

/** Adds metadata to a signed document; the stream has these keys and data. */
const metadata = (name: string, keys: string, data: Buffer | string): Attack => ({
  name,
  verdict: 'indeterminate',
  codes: ['STRUCTURE_REPAIRED'],
  make: async (lab) =>
    updated(await lab.sign(plainPdf()), (update) => {
      const body = streamBody(`/Subtype/XML${keys}`, Buffer.from(data as string, 'latin1'));
      changeCatalog(update, { Metadata: String(update.add(body)) });
    }),
});

/** Adds a title to a signed document. */
const titled = (name: string, title: string): Attack => ({
  name,
  verdict: 'indeterminate',
  codes: ['STRUCTURE_REPAIRED'],
  make: async (lab) => {
    const pdf = classicPdf(onePage('', '', ['<</Title(Agreement)>>']), '/Info 6 0 R');
    return updated(await lab.sign(pdf), (update) => update.replace(new Ref(6, 0), `<</Title${title}>>`));
  },
});

/** Adds a note with a look to a signed document, and writes one of its parts otherwise. */
const loose = (
  name: string,
  before: string,
  now: string,
  codes: Attack['codes'] = ['STRUCTURE_REPAIRED'],
): Attack => ({
  name,
  codes,
  ...(codes[0] === 'STRUCTURE_REPAIRED' && { verdict: 'indeterminate' }),
  make: async (lab) => {
    const pdf = await lab.sign(xrefStreamPdf(onePage()));
    const noted = updated(pdf, (update) => {
      const look = update.add(
        streamBody('/Subtype/Form/BBox [ 0 0 9 9 ]/Matrix [ 1 0 0 1 0 0 ]', latin1('0 0 5 5 re f')),
      );
      addAnnotation(update, `/Subtype/Text/Rect [ 10 10 30 30 ]/Contents(of a friend)/F 4/AP<</N ${look}>>`);
    });
    return replaced(noted, before, now, pdf.length);
  },
});

export const hiddenObjects: AttackClass = {
  name: 'Objects that readers find when they repair',
  source: 'own findings in Poppler, MuPDF, PDFium and pdf.js',
  attacks: [
    store('the store has a text as a certificate', (update) => `/Certs[${unfiltered(update, 'no more')}]`),
    store('the store has bytes behind a certificate', (update, { pki }) => {
      const more = Buffer.concat([pki.root.der, Buffer.from('0 0')]);
      return `/Certs[${unfiltered(update, more)}]`;
    }),
    store('the store has two certificates in one stream', (update, { pki, ada }) => {
      const both = Buffer.concat([pki.root.der, ada.der]);
      return `/Certs[${update.add(streamBody('/Filter/FlateDecode', deflateSync(both)))}]`;
    }),
    store(
      'the store has a certificate as a list',
      (update, { pki }) => `/CRLs[${unfiltered(update, pki.root.der)}]`,
    ),
    store(
      'the store has a certificate as a response',
      (update, { pki }) => `/OCSPs[${unfiltered(update, pki.root.der)}]`,
    ),
    store(
      'the store has another key',
      (update, { pki }) => `/Certs[${unfiltered(update, pki.root.der)}]/Notes(of the signer)`,
    ),
    store('the store has a certificate that is a string', (_, { pki }) => {
      return `/Certs[<${pki.root.der.toString('hex')}>]`;
    }),
    store('the store refers to a missing certificate', () => '/Certs[4711 0 R]'),
    store(
      'the entry of a signature has a text as a certificate',
      (update) => `/VRI<</${'A'.repeat(40)}<</Cert[${unfiltered(update, 'no more')}]>>>>`,
    ),
    store(
      'the entry of a signature has a text as a time-stamp',
      (update) => `/VRI<</${'A'.repeat(40)}<</TS ${unfiltered(update, 'no more')}>>>>`,
    ),
    store(
      'the entry of a signature has another key',
      (update) => `/VRI<</${'A'.repeat(40)}<</Data ${unfiltered(update, 'no more')}>>>>`,
    ),
    store('the store has a compressed text', (update) => {
      return `/Certs[${update.add(streamBody('/Filter/FlateDecode', deflateSync(HIDDEN)))}]`;
    }),
    metadata('metadata hide an object under compression', '/Filter/FlateDecode', deflateSync(HEAD)),
    metadata('metadata hide an object as hexadecimal digits', '/Filter/ASCIIHexDecode', `${hex(HEAD)}>`),
    metadata(
      'metadata hide an object under two filters',
      '/Filter[/AHx/Fl]',
      `${deflateSync(HIDDEN).toString('hex')}>`,
    ),
    metadata(
      'metadata hide an object under a filter of few writers',
      '/Filter/RunLengthDecode',
      Buffer.concat([latin1('\x054 0 ob'), latin1('\x05j <<>>'), Buffer.from([128])]),
    ),
    ...['Version', 'Extensions', 'MarkInfo', 'DSS'].map(
      (key): Attack => ({
        name: `the catalog refers to a missing object for ${key}, for which readers repair a file that hides another text`,
        codes: ['MODIFICATION_FORBIDDEN'],
        make: async (lab) => {
          const pdf = classicPdf(
            onePage('', `/Metadata 6 0 R/${key} null`, [streamBody('/Subtype/XML', latin1(HIDDEN))]),
          );
          return updated(await lab.sign(pdf), (update) => changeCatalog(update, { [key]: '99 0 R' }));
        },
      }),
    ),
    {
      name: 'an array of the catalog refers to a missing object in place of null',
      codes: ['MODIFICATION_FORBIDDEN'],
      make: async (lab) =>
        updated(await lab.sign(classicPdf(onePage('', '/ViewerPreferences[null 1]'))), (update) =>
          changeCatalog(update, { ViewerPreferences: '[99 0 R 1]' }),
        ),
    },
    ...['\f', '%\n'].map(
      (space): Attack => ({
        name: `the offset of an update follows ${JSON.stringify(space)}, for which pdf.js repairs a file that hides another text`,
        codes: ['STRUCTURE_BROKEN'],
        make: async (lab) => {
          const pdf = classicPdf(
            onePage('', '/Metadata 6 0 R', [streamBody('/Subtype/XML', latin1(HIDDEN))]),
          );
          const signed = await lab.sign(pdf);
          const noted = updated(
            signed,
            (update) => void addAnnotation(update, '/Subtype/Text/F 4/Rect[9 9 9 9]'),
          );
          const text = noted
            .toString('latin1')
            .replace(/startxref\n(?=\d+\s+%%EOF\s*$)/, `startxref\n${space}`);
          return latin1(text);
        },
      }),
    ),
    ...['spaces', 'line ends', 'zeros', 'comments'].map((what, index) => {
      const between = [' ', '\n', ' 0', '%\n'][index]?.repeat(300);
      const codes = ['STRUCTURE_BROKEN'] as const;
      return {
        ...metadata(
          `metadata hide the head of an object with many ${what}`,
          '',
          `x\n4${between} 0 obj\n<<>>`,
        ),
        codes,
        verdict: 'invalid' as const,
      };
    }),
    metadata('metadata expand to eighty megabytes', '/Filter/Fl', deflateSync(Buffer.alloc(BOMB_BYTES))),
    metadata('metadata hide the end of their stream', '', 'a\nendstream\nendobj\nb'),
    metadata('metadata hide a trailer', '', 'a\ntrailer % here\n<</Root 9 0 R>>\nb'),
    metadata('metadata hide the name of a cross-reference stream', '', 'a\n<</Type/XRef>>\nb'),
    metadata('metadata are a cross-reference stream as well', '/Type/XRef/W[1 1 1]/Size 1', '\0\0\0'),
    metadata('metadata are an object stream as well', '/Type/ObjStm/N 1/First 4', '4 0 <</Kids[]>>'),
    metadata('metadata have the keys of an object stream', '/N 1/First 4', '4 0 <</Kids[]>>'),
    metadata('metadata hide the head of an object that only some readers see', '', '\n4 0 objects'),
    titled('a title hides an object as hexadecimal digits', `<${hex(HEAD)}>`),
    titled('a title hides an object by an escaped letter', '(4 0 \\157bj <<>>)'),
    loose('a stream is longer than it states', '/Length 12', '/Length 11'),
    loose('a stream does not state its length', '/Length 12', '/Lengts 12'),
    loose('a number has another sign behind it', '[ 1 0 0 1', '[ 1+0 0 1'),
    loose(
      'a name has a null character, at which it ends for Poppler',
      '/Matrix [ 1 0 0 1 0 0 ]',
      '/BBox#00[ 0 0 1 1 ]',
    ),
    loose('the head of an object has a space of few readers', ' 0 obj', '\v0 obj', [
      'STRUCTURE_BROKEN',
      'MODIFICATION_FORBIDDEN',
    ]),
    titled('a title hides a trailer', '(\ntrailer <</Root 9 0 R>>\n)'),
  ],
};
