import { Ref } from '@scriptorium/pdf/read';
import { streamBody } from '@scriptorium/testing/fixtures/pdf/build';
import type { Attack, AttackClass } from '../attack.ts';
import { CONTRACT } from './contract-pdf.ts';
import { whiteLook } from './documents.ts';
import { addAnnotation, changeObject, dictOf } from './edit.ts';
import { after } from './unclaimed-changes.ts';

const SOURCE = 'attacks on files that this service signed, 2026';
const HEADLINE = '/Rect[45 490 245 515]';
const drawn = (what: string, body: string): Attack =>
  after(`${what} without an appearance lies over a headline`, (update) => void addAnnotation(update, body), {
    isDoubtful: true,
  });

/** Adds a field that waits for a signature, across the foot of the headline. */
const waiting = (what: string, body: string): Attack =>
  after(
    `a new field waits for a signature, and ${what}`,
    (update) => {
      const field = addAnnotation(update, `/Subtype/Widget/FT/Sig/T(New)/F 4/Rect[45 440 245 504]${body}`);
      const form = new Ref(CONTRACT.form, 0);
      changeObject(update, form, { Fields: update.append(dictOf(update, form), 'Fields', `${field}`) });
    },
    { isDoubtful: true },
  );

export const drawnByReaders: AttackClass = {
  name: 'Annotations that readers draw by themselves',
  source: SOURCE,
  attacks: [
    drawn('white ink', `/Subtype/Ink/InkList[[50 504 110 504]]/BS<</W 12>>/C[1 1 1]/F 4${HEADLINE}`),
    drawn('thin ink', `/Subtype/Ink/InkList[[50 504 110 504 50 502 110 502]]/C[1 1 1]/F 4${HEADLINE}`),
    drawn(
      'ink far from its rectangle',
      '/Subtype/Ink/InkList[[50 504 110 504]]/BS<</W 9>>/F 4/Rect[300 300 310 310]',
    ),
    drawn('a line', `/Subtype/Line/L[50 504 110 504]/BS<</W 9>>/C[1 1 1]/F 4${HEADLINE}`),
    drawn(
      'a line far from its rectangle',
      '/Subtype/Line/L[50 504 110 504]/BS<</W 9>>/F 4/Rect[300 300 310 310]',
    ),
    drawn('a polygon', `/Subtype/Polygon/Vertices[50 500 110 500 110 510 50 510]/IC[1 1 1]/F 4${HEADLINE}`),
    drawn(
      'a polygon far from its rectangle',
      '/Subtype/Polygon/Vertices[50 500 110 500 110 510 50 510]/IC[1 1 1]/F 4/Rect[300 300 310 310]',
    ),
    drawn('a line of many parts', `/Subtype/PolyLine/Vertices[50 500 110 500 110 510 50 510]/F 4${HEADLINE}`),
    drawn(
      'a black highlight',
      `/Subtype/Highlight/QuadPoints[50 512 110 512 50 498 110 498]/C[0 0 0]/F 4${HEADLINE}`,
    ),
    drawn(
      'a highlight far from its rectangle',
      '/Subtype/Highlight/QuadPoints[50 512 110 512 50 498 110 498]/C[0 0 0]/F 4/Rect[300 300 310 310]',
    ),
    drawn('an underline', `/Subtype/Underline/QuadPoints[50 512 110 512 50 498 110 498]/F 4${HEADLINE}`),
    drawn(
      'a line through the text',
      `/Subtype/StrikeOut/QuadPoints[50 512 110 512 50 498 110 498]/F 4${HEADLINE}`,
    ),
    drawn('a filled square', `/Subtype/Square/IC[1 1 1]/F 4${HEADLINE}`),
    drawn('a filled circle', `/Subtype/Circle/IC[1 1 1]/F 4${HEADLINE}`),
    drawn('a frame as broad as the text', `/Subtype/Square/BS<</W 24>>/F 4${HEADLINE}`),
    drawn('a link with a broad border', `/Subtype/Link/Border[0 0 24]/F 4${HEADLINE}`),
    drawn('a free text', `/Subtype/FreeText/DA(/Helv 12 Tf)/Contents(Disagreement)/F 4${HEADLINE}`),
    drawn('a stamp', `/Subtype/Stamp/Name/Void/F 4${HEADLINE}`),
    drawn(
      'a callout that points there',
      '/Subtype/FreeText/DA(/Helv 12 Tf)/CL[60 504 200 300]/BS<</W 9>>/F 4/Rect[200 280 300 300]',
    ),
    waiting('MuPDF draws a tab on a headline', ''),
    waiting('has a frame through a headline', '/MK<</BC[1 0 0]>>/BS<</W 1/S/U>>'),
    after(
      'a link with a look has a frame through a headline',
      (update) => {
        const look = update.add(streamBody('/Subtype/Form/BBox[0 0 9 9]', Buffer.alloc(0)));
        addAnnotation(update, `/Subtype/Link/F 4/Rect[45 504 245 515]/AP<</N ${look}>>`);
      },
      { isDoubtful: true },
    ),
  ],
};

export const vectorContent: AttackClass = {
  name: 'Content that is drawn',
  source: SOURCE,
  attacks: (['Stamp', 'FreeText', 'Square', 'Circle', 'Polygon', 'Ink', 'Highlight'] as const).map((kind) =>
    after(
      `an opaque ${kind} lies over a payment code`,
      (update) => {
        const look = update.add(whiteLook(70, 70));
        addAnnotation(update, `/Subtype/${kind}/F 4/Rect[295 35 365 105]/AP<</N ${look}>>`);
      },
      { isDoubtful: true },
    ),
  ),
};
