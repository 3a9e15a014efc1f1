import type { PackageEditor } from '@scriptorium/docx-template/editor';
import type { Story } from '@scriptorium/docx-template/template';
import type { Scope } from '@scriptorium/expressions/evaluate';
import type { Part } from '@scriptorium/ooxml/package';
import {
  applyEdits,
  childOf,
  descendantsOf,
  type Edit,
  escapeXml,
  type XmlNode,
} from '@scriptorium/ooxml/xml';
import { isStrict } from '../charts/chart-tree.ts';
import { fillChart, untitled, workbookRelationship } from '../charts/fill-chart.ts';
import { WORKBOOK_TYPE } from '../charts/workbook.ts';
import type { ChartValue } from '../values/chart.ts';
import { namedChart } from '../values/named-chart.ts';
import type { ChartOp, Op } from './program.ts';
import type { ValueWriter } from './value-writer.ts';

/** Data for a chart, and where it stands in the request. */
interface ChartData {
  data: ChartValue;
  path: string;
}

/** Writes the charts of one document. No two drawings share a part. */
export class Charts {
  readonly #editor: PackageEditor;
  readonly #writer: ValueWriter;
  /** Keys of the parts that a drawing of the document already has. */
  readonly #used = new Set<string>();

  constructor(editor: PackageEditor, writer: ValueWriter) {
    this.#editor = editor;
    this.#writer = writer;
  }

  /** The id of the relationship to a chart, as attribute text. Its texts are written with `render`. */
  write(op: ChartOp, scope: Scope, render: (ops: readonly Op[]) => string): string {
    const { chart, fragments, part, id } = op;
    const known = chart?.xml ?? '';
    const edits = fragments
      .map(({ start, end, ops }) => ({ start, end, text: render(ops) }))
      .filter(({ start, end, text }) => text !== known.slice(start, end));
    const isFirst = !this.#used.has(part.key);
    this.#used.add(part.key);
    const own = isFirst ? { id, part } : (this.#editor.copyRelated(op.story.part, id) ?? { id, part });
    const value = chart && this.#dataOf(op, scope);
    if (chart !== undefined && value !== undefined)
      edits.push(...(this.#writer.tried(() => this.#filled(op, chart, own.part, value)) ?? []));
    if (chart !== undefined && value !== undefined && isUntitled(chart, fragments, edits))
      edits.push(...untitled(chart));
    if (edits.length > 0) this.#editor.rewrite(own.part, applyEdits(known, edits));
    return escapeXml(own.id);
  }

  /** The value of a mark in its title or its alternative text that is data for a chart. */
  #dataOf({ values, name }: ChartOp, scope: Scope): ChartData | undefined {
    let found: ChartData | undefined;
    for (const expression of values) {
      const { value, path } = this.#writer.evaluate(expression, scope) ?? {};
      if (typeof value !== 'object' || path === undefined) continue;
      const chart = this.#writer.tried(() => namedChart(value, path));
      if (chart !== undefined && found !== undefined && found.path !== chart.path)
        this.#writer.report(chart.path, `is one too many: ${name} already shows ${found.path}`);
      found ??= chart;
    }
    return found;
  }

  #filled({ name }: ChartOp, chart: Story, part: Part, { data, path }: ChartData): Edit[] {
    if (data.series === undefined) return [];
    const relationship = workbookRelationship(chart) ?? freeId(part);
    const { edits, workbook } = fillChart(chart, data, { path, name, relationship });
    const main = this.#editor.template.document.main.name;
    const folder = main.slice(0, main.lastIndexOf('/') + 1);
    this.#editor.embed(part, relationship, {
      name: `${folder}embeddings/chart-data.xlsx`,
      contentType: WORKBOOK_TYPE,
      bytes: workbook,
      kind: 'package',
      isStrict: isStrict(chart),
    });
    return edits;
  }
}

/** Whether marks were the whole title of a chart, and nothing took their place. */
function isUntitled(chart: Story, fragments: ChartOp['fragments'], edits: readonly Edit[]): boolean {
  const node = childOf(chart.root, 'c:chart');
  const title = node && childOf(node, 'c:title');
  if (title === undefined) return false;
  const isMarked = fragments.some(({ start, end }) => title.start < start && end < title.end);
  const texts = new Map(edits.map(({ start, text }) => [start, text]));
  return (
    isMarked &&
    textsIn(title).every(
      (text) => (texts.get(text.openEnd) ?? chart.xml.slice(text.openEnd, text.closeStart)).trim() === '',
    )
  );
}

function textsIn(title: XmlNode): XmlNode[] {
  return [...descendantsOf(title)].filter(({ name }) => name === 'a:t');
}

function freeId({ relationships }: Part): string {
  const used = new Set(relationships.list.map(({ id }) => id));
  let number = used.size + 1;
  while (used.has(`rId${number}`)) number++;
  return `rId${number}`;
}
