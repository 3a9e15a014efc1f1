import { BOUNDS, boundPassed } from '@scriptorium/ooxml/bounds';
import type { DropKind } from '@scriptorium/ooxml/package';
import { isSafeLink } from '@scriptorium/ooxml/package';
import type { FieldRule } from '../../docx/fields.ts';
import type { DropLog } from '../drop-log.ts';
import { LayoutCount } from '../layout-count.ts';
import { isTooLarge, looksLikeSvg, type ReadPicture } from '../picture.ts';
import { damaged } from '../refusal.ts';
import {
  DROPPED_DESTINATIONS,
  DROPPED_SHAPE_PROPERTY,
  INSTRUCTION_PARTS,
  OBJECT_WORD,
} from './destinations.ts';
import { Instruction } from './instruction.ts';
import { type RtfToken, rtfTokens } from './tokens.ts';

/** The positions of a field's words in the output. They are removed with its instruction. */
interface Field {
  words: number[];
  isDropped: boolean;
  /** Its text stands in its instruction, which is shown instead of its result. */
  showsInstruction: boolean;
}

interface Group {
  /** Index of its `{` in the pieces. */
  start: number;
  /** In this group and its inner groups, the text of a picture, a field or a shape property is collected. */
  picture: string[] | undefined;
  instruction: Instruction | undefined;
  property: { name: string; value: string } | undefined;
  collects: 'name' | 'value' | undefined;
  field: Field | undefined;
  isDropped: boolean;
  /** The last token was `\*`; its word is still to come. */
  isStarred: boolean;
  /** The kind of collection that began in this group and is judged at its end. */
  owns: 'picture' | 'instruction' | 'property' | undefined;
}

const SYMBOLS = '\\{}~-_|:\n\r\t';
const PARAGRAPH_ENDS = new Set(['par', 'cell', 'nestcell', 'sect']);
const HEX_LINE = /.{1,128}/g;
const PROPERTY_CHARS_MAX = 10_000;

/** Rewrites an RTF document from its tokens, without content that fetches, reads or runs something. */
export class RtfRewriter {
  readonly #drops: DropLog;
  readonly #freeze: FieldRule;
  readonly #readPicture: ReadPicture;
  readonly #pieces: string[] = [];
  readonly #groups: Group[] = [];
  #groupCount = 0;
  readonly #layout = new LayoutCount();
  #rowCells = 0;

  /** `freeze` selects the fields that keep their last result as text. */
  constructor(drops: DropLog, freeze: FieldRule, readPicture: ReadPicture) {
    this.#layout.openParagraph();
    this.#drops = drops;
    this.#freeze = freeze;
    this.#readPicture = readPicture;
  }

  rewrite(rtf: string): string {
    for (const token of rtfTokens(rtf)) this.#take(token);
    if (this.#groups.length > 0) throw damaged('it ends inside a group; it may be truncated');
    const rewritten = this.#pieces.join('');
    if (!rewritten.startsWith('{\\rtf')) throw damaged('it does not begin with a document');
    return rewritten;
  }

  #take(token: RtfToken): void {
    const group = this.#groups.at(-1);
    if (token.type === 'open') this.#open(group);
    else if (group === undefined) throw damaged('it contains text outside its group');
    else if (token.type === 'close') this.#close(group);
    else if (!group.isDropped) this.#content(group, token);
  }

  #open(outer: Group | undefined): void {
    if (this.#groups.length >= BOUNDS.groupDepthMax) throw boundPassed('groupDepthMax');
    if (++this.#groupCount > BOUNDS.elementsMax) throw boundPassed('elementsMax');
    this.#groups.push({
      start: this.#pieces.length,
      picture: outer?.picture,
      instruction: outer?.instruction,
      property: outer?.property,
      collects: outer?.collects,
      field: outer?.field,
      isDropped: outer?.isDropped ?? false,
      isStarred: false,
      owns: undefined,
    });
    if (outer?.isDropped !== true) this.#pieces.push('{');
  }

  #close(group: Group): void {
    this.#groups.pop();
    if (this.#groups.at(-1)?.isDropped === true) return;
    if (!group.isDropped && group.owns === 'picture') this.#endPicture(group);
    if (!group.isDropped && group.owns === 'instruction') this.#endInstruction(group);
    if (!group.isDropped && group.owns === 'property') this.#endProperty(group);
    if (group.isDropped) this.#pieces.length = group.start;
    else this.#pieces.push('}');
  }

  #drop(group: Group, what?: DropKind | null, detail?: string): void {
    group.isDropped = true;
    if (what) this.#drops.add(what, 'rtf', detail);
  }

  #content(group: Group, token: Exclude<RtfToken, { type: 'open' | 'close' }>): void {
    if (token.type === 'word') this.#word(group, token.name, token.value);
    else if (token.type === 'symbol') this.#symbol(group, token.char);
    else if (token.type === 'text') this.#text(group, token.text, token.text);
    else if (token.type === 'hex') this.#hex(group, token.byte);
    // In a picture it is equivalent to hexadecimal digits. Elsewhere it has no meaning.
    else group.picture?.push(Buffer.from(token.bytes, 'latin1').toString('hex'));
  }

  #text(group: Group, text: string, written: string): void {
    if (group.picture !== undefined) {
      group.picture.push(text);
      return;
    }
    this.#layout.addPiece();
    this.#layout.addText(text.length);
    group.instruction?.addText(text);
    this.#collect(group, text);
    this.#pieces.push(written);
  }

  #collect({ property, collects }: Group, text: string): void {
    if (property !== undefined && collects !== undefined && property[collects].length < PROPERTY_CHARS_MAX)
      property[collects] += text;
  }

  #hex(group: Group, byte: number): void {
    if (group.picture !== undefined) return;
    this.#layout.addText(1);
    const char = String.fromCharCode(byte);
    group.instruction?.addEscaped(char);
    this.#collect(group, char);
    this.#pieces.push(`\\'${byte.toString(16).padStart(2, '0')}`);
  }

  #symbol(group: Group, char: string): void {
    if (char === '*') {
      group.isStarred = true;
      return;
    }
    if (!SYMBOLS.includes(char)) return;
    if (group.picture === undefined) this.#text(group, char, `\\${char}`);
  }

  #word(group: Group, name: string, value: number | undefined): void {
    const { isStarred } = group;
    group.isStarred = false;
    const what = DROPPED_DESTINATIONS.get(name);
    if (what !== undefined) {
      this.#drop(group, what, name);
      return;
    }
    if (name === 'object') this.#drops.add('OLE object', 'rtf');
    if (OBJECT_WORD.test(name)) return;
    this.#bound(name, value);
    this.#enterDestination(group, name);
    if (name === 'u' && value !== undefined) {
      group.instruction?.addUnicode(value);
      this.#collect(group, String.fromCharCode(value & 0xffff));
    }
    if (name === 'uc' && group.instruction !== undefined)
      group.instruction.fallbackChars = Math.min(Math.max(0, value ?? 1), 10);
    else if (name === 'tab' || name === 'par' || name === 'line') group.instruction?.add(' ');
    const isFieldWord = name === 'field' || name === 'fldrslt';
    if (name === 'fldrslt' && group.field?.showsInstruction === true) {
      this.#drop(group);
      return;
    }
    if (isFieldWord && group.field?.isDropped === true) return;
    if (isFieldWord) group.field?.words.push(this.#pieces.length);
    this.#pieces.push(`${isStarred ? '\\*' : ''}\\${name}${value ?? ''} `);
  }

  #bound(name: string, value: number | undefined): void {
    if (PARAGRAPH_ENDS.has(name)) this.#layout.nextParagraph();
    if (name === 'cell' || name === 'nestcell') this.#layout.addCells();
    // The rows of a document count as one table each: RTF marks no tables.
    if (name === 'trowd') {
      this.#layout.closeTable();
      this.#layout.openTable();
      this.#rowCells = 0;
    }
    if (name === 'cellx') this.#layout.span(++this.#rowCells);
    if (name === 'cols') this.#layout.columns(value);
    if (name === 'u') this.#layout.addText(1);
    if (name === 'itap' && (value ?? 0) > BOUNDS.nestedTablesMax) throw boundPassed('nestedTablesMax');
  }

  /** A destination extends from its word, anywhere in a group, to the end of that group. */
  #enterDestination(group: Group, name: string): void {
    if (INSTRUCTION_PARTS.has(name) && group.instruction !== undefined) group.instruction.hasParts = true;
    if (name === 'field') group.field = { words: [], isDropped: false, showsInstruction: false };
    if (name === 'pict') {
      group.picture = [];
      group.owns = 'picture';
    } else if (name === 'fldinst') {
      group.instruction = new Instruction();
      group.owns = 'instruction';
    } else if (name === 'sp') {
      group.property = { name: '', value: '' };
      group.owns = 'property';
    } else if (name === 'sn' || name === 'sv') group.collects = name === 'sn' ? 'name' : 'value';
    // The description of a picture is not its data.
    else if (name === 'picprop' || name === 'blipuid') group.picture = undefined;
  }

  #endPicture(group: Group): void {
    const digits = (group.picture ?? []).join('').replace(/[^0-9a-fA-F]/g, '');
    const bytes = Buffer.from(digits, 'hex');
    const header = this.#readPicture(bytes);
    if (header !== undefined && isTooLarge(header)) throw boundPassed('imagePixelsMax');
    if (header === undefined) {
      if (bytes.length > 0) this.#drop(group, looksLikeSvg(bytes) ? 'SVG image' : 'image');
      return;
    }
    for (const [line] of digits.matchAll(HEX_LINE)) this.#pieces.push('\n', line);
  }

  #endInstruction(group: Group): void {
    const { instruction } = group;
    if (instruction === undefined) return;
    const what = instruction.judge(this.#freeze);
    if (what !== undefined) this.#dropField(group, instruction, what);
    else if (instruction.isToBeRewritten) {
      this.#pieces.length = group.start;
      this.#pieces.push(`{\\*\\fldinst ${instruction.rtf}`);
    }
    const outer = this.#groups.at(-1)?.instruction;
    if (outer !== undefined) {
      outer.hasParts = true;
      outer.addText(instruction.text);
    }
  }

  #dropField(group: Group, instruction: Instruction, what: DropKind | 'unreported'): void {
    const { field } = group;
    const display = instruction.displayRtf;
    for (const at of field?.words ?? []) this.#pieces[at] = '';
    if (field !== undefined) field.isDropped = true;
    if (display !== '' && field !== undefined && what !== 'unreported') {
      field.showsInstruction = true;
      this.#drops.add(what, 'rtf', instruction.text, false);
      this.#pieces.length = group.start;
      this.#pieces.push(`{${display}`);
    } else this.#drop(group, what === 'unreported' ? null : what, instruction.text);
  }

  #endProperty(group: Group): void {
    const { value } = group.property ?? { value: '' };
    const name = group.property?.name.trim() ?? '';
    const isLink = name === 'pihlShape' && !isSafeLink(value);
    // Other characters could hide a name.
    if (DROPPED_SHAPE_PROPERTY.test(name) || !/^\w*$/.test(name))
      this.#drop(group, 'external link', `${name}: ${value}`);
    else if (isLink) this.#drop(group, 'unsafe link', value);
  }
}
