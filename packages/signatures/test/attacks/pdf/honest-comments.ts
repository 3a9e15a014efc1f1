import type { Update } from '@scriptorium/pdf/update';
import { streamBody } from '@scriptorium/testing/fixtures/pdf/build';
import { CONTRACT } from './contract-pdf.ts';
import { addAnnotation, changeCatalog, changeObject, updated } from './edit.ts';
import { type HonestChange, keys, listWith, ref } from './honest-change.ts';

const { page } = CONTRACT;

const drawing = (content: string, keys = '') =>
  streamBody(`/Type/XObject/Subtype/Form/BBox[0 0 60 20]${keys}`, Buffer.from(content, 'latin1'));
const BLEND = '/Resources<</ExtGState<</G<</BM/Multiply>>>>>>';
const comment =
  (body: string, content?: string, resources = '') =>
  (update: Update) => {
    const shown = content === undefined ? '' : `/AP<</N ${update.add(drawing(content, resources))}>>`;
    addAnnotation(update, `${body}/F 4${shown}`);
  };
const TEXT = '/Rect[50 496 110 516]/QuadPoints[50 516 110 516 50 496 110 496]';
const MARGIN = '/Rect[300 250 360 270]';

export const COMMENTS: HonestChange[] = [
  { name: 'given a note', change: comment(`/Subtype/Text/Contents(Hm)/T(Bob)/M(D:2026)/Name/Note${MARGIN}`) },
  {
    name: 'given a note with an icon',
    change: comment(`/Subtype/Text/Contents(Hm)${MARGIN}`, '2 2 16 16 re S'),
  },
  {
    name: 'given a highlight',
    change: comment(`/Subtype/Highlight/C[1 1 0]${TEXT}`, '/G gs 1 1 0 rg 0 0 60 20 re f', BLEND),
  },
  { name: 'given an underline', change: comment(`/Subtype/Underline${TEXT}`, '0 1 m 60 1 l S') },
  { name: 'given a wavy line', change: comment(`/Subtype/Squiggly${TEXT}`, '0 1 m 30 3 l 60 1 l S') },
  { name: 'given a line through a text', change: comment(`/Subtype/StrikeOut${TEXT}`, '0 8 m 60 8 l S') },
  { name: 'given a caret', change: comment(`/Subtype/Caret/RD[0 0 0 0]${MARGIN}`, '0 0 m 30 20 l 60 0 l S') },
  {
    name: 'given ink in the margin',
    change: comment(`/Subtype/Ink/InkList[[300 250 360 270]]${MARGIN}`, '0 0 m 60 20 l S'),
  },
  {
    name: 'given ink around a word',
    change: comment('/Subtype/Ink/InkList[[45 490 115 520]]/Rect[45 490 115 520]', '1 w 1 1 58 18 re S'),
  },
  {
    name: 'given a free text in the margin',
    change: comment(`/Subtype/FreeText/DA(/Helv 9 Tf)/Contents(Hm)${MARGIN}`, '0 0 60 20 re S'),
  },
  {
    name: 'given a stamp in an empty place',
    change: comment(`/Subtype/Stamp/Name/Approved${MARGIN}`, '1 0 0 rg 0 0 60 20 re f'),
  },
  {
    name: 'given a frame around a text',
    change: comment('/Subtype/Square/Rect[40 480 150 530]', '1 1 58 18 re S'),
  },
  {
    name: 'given a circle in the margin',
    change: comment(`/Subtype/Circle/C[1 0 0]${MARGIN}`, '1 0 0 RG 0 10 m 0 20 60 20 60 10 c S'),
  },
  {
    name: 'given a line in the margin',
    change: comment(`/Subtype/Line/L[300 250 360 270]/LE[/None/OpenArrow]${MARGIN}`, '0 0 m 60 20 l S'),
  },
  {
    name: 'given a polygon in the margin',
    change: comment(`/Subtype/Polygon/Vertices[300 250 360 250 330 270]${MARGIN}`, '0 0 m 60 0 l 30 20 l s'),
  },
  {
    name: 'given lines in the margin',
    change: comment(`/Subtype/PolyLine/Vertices[300 250 360 250 330 270]${MARGIN}`, '0 0 m 60 0 l 30 20 l S'),
  },
  {
    name: 'given a link to a page',
    change: comment('/Subtype/Link/Border[0 0 0]/A<</S/GoTo/D[3 0 R/Fit]>>/Rect[50 496 110 516]'),
  },
  {
    name: 'given a link to a place',
    change: comment('/Subtype/Link/Border[0 0 0]/Dest[3 0 R/Fit]/Rect[50 496 110 516]'),
  },
  {
    name: 'given an answer to a note',
    change: comment(`/Subtype/Text/Contents(Yes)/IRT ${CONTRACT.note} 0 R/RT/R${MARGIN}`),
  },
  {
    name: 'given a pop-up',
    change: comment(`/Subtype/Popup/Parent ${CONTRACT.note} 0 R/Open false${MARGIN}`),
  },
  {
    name: 'given a note of a program with keys of its own',
    change: comment(`/Subtype/Text/Contents(Hm)/AAPL:AKExtras<<>>${MARGIN}`),
  },
  {
    name: 'given a note, and looks by name',
    change: (update: Update) => {
      comment(`/Subtype/Text/Contents(Hm)${MARGIN}`)(update);
      changeCatalog(update, { Names: `<</AP<</Names[(a)${update.add(drawing('0 0 9 9 re f'))}]>>>>` });
    },
  },
].map((each) => ({ ...each, least: 3, modifications: ['ANNOTATION_ADDED'] }));

export const COMMENTS_AGAIN: HonestChange[] = [
  {
    name: 'given a note that is then written anew',
    least: 3,
    modifications: ['ANNOTATION_ADDED', 'ANNOTATION_CHANGED'],
    make: (_, pdf) => {
      let note = ref(0);
      const first = updated(pdf, (update) => {
        note = addAnnotation(update, `/Subtype/Text/Contents(Hm)/F 4${MARGIN}`);
      });
      return updated(first, (update) => changeObject(update, note, { Contents: '(No)', T: '(Bob)' }));
    },
  },
  {
    name: 'given a note that is then removed',
    least: 3,
    modifications: ['ANNOTATION_ADDED', 'ANNOTATION_REMOVED'],
    make: (_, pdf) => {
      let before = '';
      const first = updated(pdf, (update) => {
        before = listWith(update, page, 'Annots', '');
        addAnnotation(update, `/Subtype/Text/Contents(Hm)/F 4${MARGIN}`);
      });
      return updated(first, keys(page, { Annots: before }));
    },
  },
];
