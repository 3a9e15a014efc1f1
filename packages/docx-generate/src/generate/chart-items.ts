import type { Story, Template } from '@scriptorium/docx-template/template';
import type { Expression } from '@scriptorium/expressions/expression';
import type { Part } from '@scriptorium/ooxml/package';
import { attributeOf, childOf, descendantsOf, type XmlNode } from '@scriptorium/ooxml/xml';
import type { FlatParts } from './flat-parts.ts';
import type { MarkIssue, TextPart } from './instruction.ts';
import { type Item, RANKS } from './items.ts';
import { type Extent, LoopTree } from './loop-tree.ts';
import type { FoundMarks } from './marks/find-marks.ts';
import type { ChartOp, Fragment, StoryProgram } from './program.ts';
import { attributeSpan, CHARTS, partsIn } from './text-items.ts';

const CHARTS_IN = /\/chart(?:ex)?["']/;

/** A chart in a story. */
export interface ChartPlace {
  start: number;
  end: number;
  op: ChartOp;
  /** It or its texts have marks. */
  isMarked: boolean;
}

/** The compiled part of a chart, and the values in its title. */
type ChartProgram = StoryProgram & { values: readonly Expression[] };

/** Finds the charts of stories, and compiles the marks in their parts. */
export class DrawnCharts {
  /** Keys of the parts that drawings show. */
  readonly keys = new Set<string>();
  readonly #template: Template;
  readonly #found: FoundMarks;
  readonly #flat: FlatParts;
  /** Each part counts once, however many drawings show it. */
  readonly #marked = new Map<string, boolean>();
  readonly #programs = new Map<string, ChartProgram>();

  constructor(template: Template, found: FoundMarks, flat: FlatParts) {
    this.#template = template;
    this.#found = found;
    this.#flat = flat;
  }

  /** The charts of a story. Adds mistakes in the texts of their parts to `issues`. */
  in(story: Story, issues: MarkIssue[]): ChartPlace[] {
    if (!CHARTS_IN.test(story.xml)) return [];
    const targets = new Map(story.part.relationships.list.map(({ id, part }) => [id, part]));
    const places: ChartPlace[] = [];
    for (const node of descendantsOf(story.root)) {
      const id = CHARTS.has(node.name) ? attributeOf(node, 'r:id') : undefined;
      const part = id === undefined ? undefined : this.#template.document.parts.get(targets.get(id) ?? '');
      if (id !== undefined && part !== undefined) places.push(this.#place(story, node, { id, part }, issues));
    }
    return places;
  }

  #place(
    story: Story,
    node: XmlNode,
    { id, part }: { id: string; part: Part },
    issues: MarkIssue[],
  ): ChartPlace {
    this.keys.add(part.key);
    const properties = propertiesOf(node);
    const texts = ['descr', 'title'].map((name) => (properties && attributeOf(properties, name)) ?? '');
    const own = texts.flatMap((text) => valuesIn(partsIn(this.#found, text)));
    const isMarked = own.length > 0 || this.#isMarked(part);
    const program = isMarked ? this.#programOf(part, issues) : undefined;
    const { story: chart, fragments = [], values: inTitle = [] } = program ?? {};
    const values = own.length === 0 ? inTitle : [...own, ...inTitle];
    const shown = properties && attributeOf(properties, 'name');
    const name = shown ? `the chart “${shown.slice(0, 100)}” (${part.name})` : `the chart ${part.name}`;
    const op: ChartOp = { kind: 'chart', story, id, part, name, chart, fragments, values };
    return { ...attributeSpan(story, node, 'r:id'), op, isMarked };
  }

  #isMarked(part: Part): boolean {
    const isMarked = this.#marked.get(part.key) ?? this.#flat.isMarked(part);
    this.#marked.set(part.key, isMarked);
    return isMarked;
  }

  #programOf(part: Part, issues: MarkIssue[]): ChartProgram | undefined {
    const known = this.#programs.get(part.key);
    if (known !== undefined) return known;
    const program = this.#flat.programOf(part, issues);
    if (program === undefined) return undefined;
    const values = program.fragments.flatMap(({ ops }) => ops.flatMap(chartValues));
    this.#programs.set(part.key, { ...program, values });
    return { ...program, values };
  }
}

/** The items of charts with marks, and of those in loops, of which each copy has its own part. */
export function chartItems(places: readonly ChartPlace[], loops: readonly Extent[]): Item[] {
  if (places.length === 0) return [];
  const tree = new LoopTree(loops);
  return places
    .filter(({ isMarked, start }) => isMarked || tree.depthAt(start) > 0)
    .map(({ start, end, op }) => ({ start, end, rank: RANKS.leaf, make: () => op }));
}

/** The `wp:docPr` of a drawing that shows one chart and nothing else. */
function propertiesOf(chart: XmlNode): XmlNode | undefined {
  const frame = chart.parent?.parent?.parent;
  return frame?.name === 'wp:inline' || frame?.name === 'wp:anchor' ? childOf(frame, 'wp:docPr') : undefined;
}

function chartValues(op: Fragment['ops'][number]): Expression[] {
  return typeof op !== 'string' && op.kind === 'text' && op.isOfChart ? valuesIn(op.parts) : [];
}

function valuesIn(parts: readonly TextPart[] = []): Expression[] {
  return parts.flatMap((part) =>
    typeof part !== 'string' && 'instruction' in part && part.instruction.type === 'value'
      ? [part.instruction.expression]
      : [],
  );
}
