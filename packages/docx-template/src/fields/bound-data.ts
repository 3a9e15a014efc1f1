import { Budget } from '@scriptorium/ooxml/bounds';
import type { Part } from '@scriptorium/ooxml/package';
import { escapeXml, scanXml, TreeBuilder, type XmlNode } from '@scriptorium/ooxml/xml';
import type { PackageEditor } from '../package-editor.ts';
import type { Control } from '../template/controls.ts';
import { setAttribute } from './attributes.ts';
import { type DataPlace, followPath } from './data-path.ts';
import { unbind } from './unbind.ts';

interface DataPart {
  part: Part;
  root: XmlNode;
}

/**
 * The data to which controls of a document are bound. Word displays it instead of the control's content, so it is
 * updated too, or the binding is removed.
 */
export class BoundData {
  readonly #editor: PackageEditor;
  readonly #parts = new Map<string, DataPart | undefined>();
  readonly #written = new Map<XmlNode, Map<string, string>>();

  constructor(editor: PackageEditor) {
    this.#editor = editor;
  }

  /** Updates the data of a control with its new text. */
  write(control: Control, text: string): void {
    const { binding } = control;
    const data = binding && this.#partOf(binding.store);
    const place = binding && data && followPath(binding, data.root);
    const holdsElements = place?.attribute === undefined && (place?.element.children.length ?? 0) > 0;
    if (data === undefined || place === undefined || holdsElements) {
      unbind(this.#editor, control);
      return;
    }
    const name = place.attribute ?? '';
    const written = this.#written.get(place.element) ?? new Map<string, string>();
    this.#written.set(place.element, written);
    const earlier = written.get(name);
    // If two controls bound to one place get different texts, only one can stay bound.
    if (earlier !== undefined && earlier !== text) unbind(this.#editor, control);
    if (earlier !== undefined) return;
    written.set(name, text);
    this.#put(data.part, place, text);
  }

  #partOf(store: string): DataPart | undefined {
    if (!this.#parts.has(store)) this.#parts.set(store, this.#read(store));
    return this.#parts.get(store);
  }

  #read(store: string): DataPart | undefined {
    const { dataParts, document } = this.#editor.template;
    const part = document.parts.get(dataParts.get(store) ?? '');
    if (part?.xml === undefined) return undefined;
    const tree = new TreeBuilder();
    scanXml(part.xml, [tree.visitor], { budget: new Budget(), part: part.name });
    return { part, root: tree.root };
  }

  #put(part: Part, { element, attribute }: DataPlace, text: string): void {
    const story = { part, xml: part.xml ?? '' };
    if (attribute !== undefined) {
      setAttribute(this.#editor, story, element, attribute, text);
      return;
    }
    const { start, openEnd, closeStart, end } = element;
    if (openEnd < end) {
      this.#editor.edit(story, { start: openEnd, end: closeStart, text: escapeXml(text) });
      return;
    }
    const tag = story.xml.slice(start, end - 2).trimEnd();
    const name = /^<([^\s>]+)/.exec(tag)?.[1] ?? '';
    this.#editor.edit(story, { start, end, text: `${tag}>${escapeXml(text)}</${name}>` });
  }
}
