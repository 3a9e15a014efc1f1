import type { Update } from '@scriptorium/pdf/update';
import { formPdf, plainPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import type { Attack, AttackClass } from '../attack.ts';
import { textLook, whiteLook } from './documents.ts';
import { addAnnotation, changeCatalog, changeObject, firstPage, updated } from './edit.ts';

const OVER_TEXT = '/Rect[45 490 245 515]';
const FORGED = 'Disagreement';

type Look = (update: Update) => string;
const shown: Look = (update) => `/AP<</N ${update.add(textLook(FORGED, 200, 25))}>>`;

const over = (
  name: string,
  keys: string,
  { look = shown, shows = FORGED }: { look?: Look; shows?: string } = {},
): Attack => ({
  name: `${name} lies over the text of a document that permits annotations`,
  codes: ['MODIFICATION_DOUBTFUL', 'MODIFICATION_FORBIDDEN'],
  verdict: 'indeterminate',
  ...(shows && { shows }),
  make: async (lab) =>
    updated(await lab.sign(plainPdf(), { certify: 'annotations' }), (update) => {
      addAnnotation(update, `${OVER_TEXT}/F 4${keys}${look(update)}`);
    }),
});

const forbidden = (name: string, keys: string, certify: 'noChanges' | 'formFilling'): Attack => ({
  name: `${name} is added to a document that permits ${certify === 'noChanges' ? 'no changes' : 'only form filling'}`,
  codes: ['MODIFICATION_FORBIDDEN'],
  modification: 'ANNOTATION_ADDED',
  make: async (lab) =>
    updated(await lab.sign(formPdf(), { certify }), (update) => {
      addAnnotation(update, `${OVER_TEXT}/F 4${keys}${shown(update)}`);
    }),
});

export const evilAnnotation: AttackClass = {
  name: 'Evil annotation',
  source: 'Rohlmann et al., Breaking the Specification: PDF Certification, S&P 2021, IV-A',
  attacks: [
    over('a free text', '/Subtype/FreeText/Contents(Disagreement)/DA(/Helv 12 Tf 0 g)'),
    over('a stamp', '/Subtype/Stamp/Name/Approved'),
    over('a square', '/Subtype/Square/IC[1 1 1]/C[1 1 1]'),
    over('a filled polygon', '/Subtype/Polygon/Vertices[45 490 245 490 245 515 45 515]/IC[1 1 1]'),
    { ...over('a redaction', '/Subtype/Redact/IC[1 1 1]/OverlayText(Disagreement)'), verdict: 'invalid' },
    over('a line', '/Subtype/Line/L[45 500 245 500]/BS<</W 25>>'),
    over('an ink drawing', '/Subtype/Ink/InkList[[45 500 245 500]]/BS<</W 25>>'),
    over('a white stamp', '/Subtype/Stamp', {
      look: (update) => `/AP<</N ${update.add(whiteLook(200, 25))}>>`,
      shows: '',
    }),
    over(
      'a free text without its own appearance',
      '/Subtype/FreeText/Contents(Disagreement)/DA(/Helv 12 Tf 0 g)',
      {
        look: () => '',
        shows: '',
      },
    ),
    {
      ...over(
        'a redaction without its own appearance',
        '/Subtype/Redact/IC[1 1 1]/OverlayText(Disagreement)',
        {
          look: () => '',
          shows: '',
        },
      ),
      verdict: 'invalid',
    },
    forbidden('a free text', '/Subtype/FreeText/Contents(Disagreement)/DA(/Helv 12 Tf 0 g)', 'formFilling'),
    forbidden('a stamp', '/Subtype/Stamp/Name/Approved', 'formFilling'),
    forbidden('a redaction', '/Subtype/Redact', 'formFilling'),
    forbidden('a watermark', '/Subtype/Watermark', 'formFilling'),
    forbidden('a note', '/Subtype/Text/Contents(No)', 'noChanges'),
    {
      name: 'a link with a script is added to a document that permits annotations',
      codes: ['MODIFICATION_FORBIDDEN', 'MODIFICATION_DOUBTFUL'],
      make: async (lab) =>
        updated(await lab.sign(plainPdf(), { certify: 'annotations' }), (update) => {
          addAnnotation(
            update,
            '/Subtype/Link/Rect[10 10 30 30]/A<</Type/Action/S/JavaScript/JS(app.alert\\(1\\))>>',
          );
        }),
    },
  ],
};

const VISIBLE = { page: 1, rectangle: { x: 45, y: 490, width: 200, height: 25 }, text: FORGED };

/** Adds an unsigned signature field over the text manually, because our own signer refuses. */
function emptyFieldOverText(update: Update): void {
  const field = addAnnotation(
    update,
    `/Subtype/Widget/FT/Sig/T(Second)/F 4${OVER_TEXT}/AP<</N ${update.add(textLook(FORGED, 200, 25))}>>`,
  );
  const form = update.document.dict(update.document.catalog.value, 'AcroForm');
  const fields = form?.entries.get('Fields');
  if (!form || !fields) throw new Error('no form is there');
  const list = form.source.toString('latin1', fields.start, fields.end - 1);
  changeCatalog(update, { AcroForm: `<</SigFlags 3/Fields${list} ${field}]>>` });
}

export const sneakySignature: AttackClass = {
  name: 'Sneaky signature',
  source: 'Rohlmann et al., Breaking the Specification: PDF Certification, S&P 2021, IV-B',
  attacks: [
    {
      name: 'a second signature shows a text over that of a document that permits form filling',
      codes: ['MODIFICATION_DOUBTFUL', 'MODIFICATION_FORBIDDEN'],
      modification: 'CONTENT_COVERED',
      verdict: 'indeterminate',
      shows: FORGED,
      make: async (lab) =>
        lab.sign(await lab.sign(plainPdf(), { certify: 'formFilling' }), {
          by: lab.bob,
          appearance: VISIBLE,
        }),
    },
    {
      name: 'a second signature shows a text over that of a document that permits annotations',
      codes: ['MODIFICATION_DOUBTFUL', 'MODIFICATION_FORBIDDEN'],
      modification: 'CONTENT_COVERED',
      verdict: 'indeterminate',
      shows: FORGED,
      make: async (lab) =>
        lab.sign(await lab.sign(plainPdf(), { certify: 'annotations' }), {
          by: lab.bob,
          appearance: VISIBLE,
        }),
    },
    {
      name: 'a second signature shows a text over that of a signed but not certified document',
      codes: ['MODIFICATION_DOUBTFUL', 'MODIFICATION_FORBIDDEN'],
      modification: 'CONTENT_COVERED',
      verdict: 'indeterminate',
      shows: FORGED,
      make: async (lab) => lab.sign(await lab.sign(plainPdf()), { by: lab.bob, appearance: VISIBLE }),
    },
    {
      name: 'an unsigned field shows a text over that of a document that permits form filling',
      codes: ['MODIFICATION_DOUBTFUL', 'MODIFICATION_FORBIDDEN'],
      shows: FORGED,
      make: async (lab) =>
        updated(await lab.sign(plainPdf(), { certify: 'formFilling' }), emptyFieldOverText),
    },
    {
      name: 'a second signature moves the first one out of sight',
      codes: ['MODIFICATION_FORBIDDEN'],
      async make(lab) {
        const appearance = { page: 1, rectangle: { x: 50, y: 50, width: 150, height: 40 }, text: 'Ada' };
        const pdf = await lab.sign(plainPdf(), { appearance });
        return updated(pdf, (update) => {
          const annots = firstPage(update).dict.get('Annots');
          const [widget] = Array.isArray(annots) ? annots : [];
          changeObject(update, widget as never, { Rect: '[0 0 0 0]' });
        });
      },
    },
  ],
};
