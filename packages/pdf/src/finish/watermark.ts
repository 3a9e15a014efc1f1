import { TextFonts } from '../fonts/text-fonts.ts';
import { type Page, placedPages } from '../read/pages.ts';
import { Dict, type Ref } from '../read/values.ts';
import { literal } from '../write/literal.ts';
import { contentsOf } from '../write/page-content.ts';
import { editDict, type Update } from '../write/update.ts';
import { FinishError } from './finish-error.ts';

const NAME = 'ScriptoriumWatermark';
/** The size at which the text is shaped, points. */
const SIZE = 100;
/** How far the text reaches from one corner of a page to the other, and its height beside the shorter side. */
const LENGTH_SHARE = 0.75;
const HEIGHT_SHARE = 0.25;
/** From the baseline to the middle of capital letters. */
const MIDDLE = 0.35;
const OPACITY = 0.25;

/** How a watermark is drawn. PDF/A-1 forbids transparency: there, it is light, and behind the content. */
export interface WatermarkPlace {
  isBehind: boolean;
}

/**
 * Draws a text from the lower left to the upper right of each page, as an artifact that no reader reads aloud (ISO 32000-2,
 * 14.8.2.2). Throws FinishError if no font of the host has one of its characters.
 */
export function addWatermark(update: Update, text: string, { isBehind }: WatermarkPlace): void {
  const fonts = new TextFonts('bold');
  const width = fonts.width(text, 1);
  const form = addForm(update, text, fonts, isBehind);
  const resources = new SharedResources(update, form);
  const contents = new Map<string, string>();
  const open = isBehind ? '' : `${update.add(literal.stream('', Buffer.from('q\n')))} `;
  for (const page of placedPages(update.document)) {
    const drawing = drawingOn(page, width);
    const added = contents.get(drawing) ?? addDrawing(update, drawing, isBehind);
    contents.set(drawing, added);
    const before = contentsOf(update.document, page).join(' ');
    update.replace(
      page.ref,
      editDict(page.object.value, {
        Contents: isBehind ? `[${added} ${before}]` : `[${open}${before} ${added}]`,
        Resources: resources.of(page),
      }),
    );
  }
}

function addForm(update: Update, text: string, fonts: TextFonts, isBehind: boolean): Ref {
  const width = fonts.width(text, SIZE);
  const shown = fonts.show(text, SIZE);
  const [missing] = fonts.missing;
  if (missing !== undefined || width === 0)
    throw new FinishError('watermark', `has characters that no installed font shows: ${missing ?? text}`);
  const box = [0, -SIZE / 2, width, 1.5 * SIZE];
  const state = isBehind ? '' : `/ExtGState<</G<</Type/ExtGState/ca ${OPACITY}/CA ${OPACITY}>>>>`;
  const color = isBehind ? '0.85 0.85 0.85 rg' : '0.4 0.4 0.4 rg /G gs';
  const content = `q ${color} BT ${shown} ET Q`;
  const keys = `/Type/XObject/Subtype/Form/BBox${literal.numbers(box)}/Resources<</Font<<${fonts.embed(update, { hasCidSet: isBehind })}>>${state}>>`;
  return update.add(literal.stream(keys, Buffer.from(content, 'latin1')));
}

/** The operators that place the text on a page as it is displayed; `width` is that of the text at size 1. */
function drawingOn({ box: [left, bottom, right, top], rotation }: Page, width: number): string {
  const isTurned = rotation === 90 || rotation === 270;
  const [across, up] = isTurned ? [top - bottom, right - left] : [right - left, top - bottom];
  const length = LENGTH_SHARE * Math.hypot(across, up);
  const size = Math.min(length / width, HEIGHT_SHARE * Math.min(across, up));
  const angle = Math.atan2(up, across) + (rotation * Math.PI) / 180;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const [dx, dy] = [(-size * width) / 2, -MIDDLE * size];
  const x = (left + right) / 2 + dx * cos - dy * sin;
  const y = (bottom + top) / 2 + dx * sin + dy * cos;
  const scale = size / SIZE;
  const matrix = [cos * scale, sin * scale, -sin * scale, cos * scale, x, y].map(literal.number).join(' ');
  return `/Artifact<</Type/Pagination/Subtype/Watermark>>BDC q ${matrix} cm /${NAME} Do Q EMC`;
}

function addDrawing(update: Update, drawing: string, isBehind: boolean): string {
  const content = isBehind ? `${drawing}\n` : `\nQ\n${drawing}`;
  return String(update.add(literal.stream('', Buffer.from(content))));
}

/** Puts the form into the resources of pages, which may share them. */
class SharedResources {
  readonly #update: Update;
  readonly #form: Ref;
  readonly #texts = new Map<Dict, string>();

  constructor(update: Update, form: Ref) {
    this.#update = update;
    this.#form = form;
  }

  /** Returns the value of /Resources of a page, which it may inherit. */
  of({ object }: Page): string {
    const { document } = this.#update;
    let node: Dict | undefined = object.value;
    for (let depth = 0; node !== undefined && depth < 100; depth++) {
      const { dict, ref } = document.owned(node, 'Resources');
      if (dict) return this.#with(dict, ref);
      node = document.dict(node, 'Parent');
    }
    return `<</XObject<</${NAME} ${this.#form}>>>>`;
  }

  #with(dict: Dict, ref: Ref | undefined): string {
    const known = this.#texts.get(dict);
    if (known !== undefined) return known;
    const { document } = this.#update;
    const forms = document.get(dict, 'XObject');
    const own = { [NAME]: String(this.#form) };
    const named = forms instanceof Dict ? editDict(forms, own) : `<</${NAME} ${this.#form}>>`;
    const text = editDict(dict, { XObject: named });
    if (ref) this.#update.replace(ref, text);
    this.#texts.set(dict, ref ? String(ref) : text);
    return ref ? String(ref) : text;
  }
}
