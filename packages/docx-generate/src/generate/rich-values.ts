import type { PackageEditor } from '@scriptorium/docx-template/editor';
import { ControlTexts } from '@scriptorium/docx-template/editor';
import { emu, proportionsOf, replacePicture, sizing } from '@scriptorium/docx-template/pictures';
import type { Control } from '@scriptorium/docx-template/template';
import { localTime } from '@scriptorium/expressions/date';
import type { Json } from '@scriptorium/expressions/expression';
import type { PixelSize } from '@scriptorium/images/picture';
import {
  ancestorsOf,
  applyEdits,
  childOf,
  descendantsOf,
  type Edit,
  escapeXml,
  type XmlNode,
} from '@scriptorium/ooxml/xml';
import { namedPicture } from '../values/named-picture.ts';
import type { ValueResources } from '../values/resources.ts';
import { invalidValue, isJsonObject, type Replacement } from '../values/value-kind.ts';
import { ValueKinds } from '../values/value-kinds.ts';
import type { PictureOp, ValueOp } from './program.ts';
import { paragraphPropertiesAt } from './split-paragraph.ts';

const OWN_ID = /(<(?:[\w.-]+:)?id\s[^>]*?val=["'])[^"']*/;

/** Writes the values of one pass that are not texts, and the content of controls. */
export class RichValues {
  readonly #editor: PackageEditor;
  readonly #timeZone: string;
  readonly #resources: ValueResources;
  readonly #kinds: ValueKinds;
  readonly #texts: ControlTexts;

  constructor(editor: PackageEditor, resources: ValueResources, timeZone: string) {
    this.#editor = editor;
    this.#timeZone = timeZone;
    this.#resources = resources;
    this.#kinds = new ValueKinds(editor, resources);
    this.#texts = new ControlTexts(editor);
  }

  /** Why a value cannot stand in the text, or undefined. */
  issueOf(value: Json, { as }: ValueOp): string | undefined {
    return this.#kinds.isKind(value, as) ? undefined : issueOf(value);
  }

  /**
   * What takes the place of a mark. Undefined if a resource is not loaded yet. Throws TemplateError VALIDATION_ERROR or
   * IMAGE_INVALID, which names the value.
   */
  render(value: Json, { story, text, runTags, as }: ValueOp, path: string): Replacement | undefined {
    const spot = {
      story,
      text,
      style: styleIn(runTags[0]),
      paragraph: paragraphPropertiesAt(text, story),
      path,
      isInLink: [...ancestorsOf(text)].some(({ name }) => name === 'w:hyperlink'),
    };
    return this.#kinds.render(value, spot, as);
  }

  /**
   * The source of a control with this value, and with this number if it is a copy. Undefined if such a value does not
   * fill controls. If the control is a mark, that is a mistake. Throws TemplateError, which names the value.
   */
  control(
    control: Control,
    value: Json,
    { path, id, isMark }: { path: string; id: string | undefined; isMark: boolean },
  ): string | undefined {
    const { story, node } = control;
    const edits =
      control.kind === 'picture' ? this.#pictureIn(control, value, path) : this.#textIn(control, value, path);
    if (edits === undefined && isMark && value !== null)
      throw invalidValue(path, controlIssue(control, value));
    if (edits === undefined) return undefined;
    const own = edits.map(({ start, end, text }) => ({
      start: start - node.start,
      end: end - node.start,
      text,
    }));
    const filled = applyEdits(story.xml.slice(node.start, node.end), own);
    return id === undefined ? filled : filled.replace(OWN_ID, `$1${id}`);
  }

  #textIn(control: Control, value: Json, path: string): Edit[] | undefined {
    if (isJsonObject(value) || Array.isArray(value)) return undefined;
    const written = value === null ? '' : String(value);
    const text = control.kind === 'date' ? localTime(written, this.#timeZone) : written;
    return this.#editor.capture(control.story.part, () => this.#texts.fill(control, text, path));
  }

  #pictureIn({ story, node, content }: Control, value: Json, path: string): Edit[] | undefined {
    const drawing = [...descendantsOf(content)].find(({ name }) => name === 'w:drawing');
    const properties = drawing && [...descendantsOf(drawing)].find(({ name }) => name === 'wp:docPr');
    if (drawing === undefined || properties === undefined) return undefined;
    const text = this.picture(value, { story, drawing, properties }, path);
    const prompts = (childOf(node, 'w:sdtPr')?.children ?? []).filter(
      ({ name }) => name === 'w:showingPlcHdr',
    );
    return text === undefined
      ? undefined
      : [{ ...drawing, text }, ...prompts.map((prompt) => ({ ...prompt, text: '' }))];
  }

  /** The source of a drawing that shows the picture of a value. Undefined if the value is not an image. */
  picture(
    value: Json,
    { story, drawing, properties }: Pick<PictureOp, 'story' | 'drawing' | 'properties'>,
    path: string,
  ): string | undefined {
    const named = namedPicture(value, path, this.#resources);
    if (named === undefined) return undefined;
    if (named === null) return '';
    const { picture, size, alt } = named;
    // The pass is repeated when the picture is loaded.
    if (picture === undefined) return '';
    let replaced: XmlNode | undefined;
    const edits = this.#editor.capture(story.part, () => {
      replaced = replacePicture(this.#editor, story, drawing, picture);
    });
    if (replaced === undefined) throw invalidValue(path, 'is an image, but its mark is not at one picture');
    const names = { id: String(this.#editor.nextDrawingId()), descr: alt ?? '', title: '' };
    edits.push(...attributeEdits(story, properties, names));
    const extent = sizing(proportionsOf(picture.size), size, path);
    if (size.width !== undefined || size.height !== undefined)
      edits.push(...sizeEdits(story, drawing, extent({ widthEmu: 0, heightEmu: 0 })));
    const { start, end } = drawing;
    const own = edits.map((edit) => ({ ...edit, start: edit.start - start, end: edit.end - start }));
    return applyEdits(story.xml.slice(start, end), own);
  }
}

/** Edits that give attributes other values, where the element has them. */
function attributeEdits(
  { xml }: ValueOp['story'],
  node: XmlNode,
  values: Readonly<Record<string, string>>,
): Edit[] {
  return node.attributes.flatMap(({ name, start, end }) => {
    const value = values[name];
    if (value === undefined) return [];
    const from = node.start + start;
    const quote = xml.slice(from, node.start + end).search(/["']/);
    return [{ start: from + quote + 1, end: node.start + end - 1, text: escapeXml(value) }];
  });
}

/** Edits that give a drawing another size. */
function sizeEdits(story: ValueOp['story'], drawing: XmlNode, { width, height }: PixelSize): Edit[] {
  const sides = { cx: String(emu(width)), cy: String(emu(height)) };
  return [...descendantsOf(drawing)]
    .filter(({ name, parent }) => name === 'wp:extent' || (name === 'a:ext' && parent?.name === 'a:xfrm'))
    .flatMap((node) => attributeEdits(story, node, sides));
}

function issueOf(value: Json): string {
  return Array.isArray(value)
    ? 'is a list: repeat it with a loop, or print it with the formatter `join`'
    : 'is an object: print one of its properties';
}

function controlIssue({ kind }: Control, value: Json): string {
  if (kind === 'picture') return 'must be an image, because a picture control shows it';
  return `is ${Array.isArray(value) ? 'a list' : 'an object'}, but its control has no named control inside`;
}

/** The run properties in the start of a run. */
function styleIn(open: string): string {
  return open.slice(open.indexOf('>') + 1);
}
