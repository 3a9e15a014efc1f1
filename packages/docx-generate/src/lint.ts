import { PackageEditor } from '@scriptorium/docx-template/editor';
import type { OwnTemplates } from '@scriptorium/docx-template/template';
import type { Json } from '@scriptorium/expressions/expression';
import { removedBy } from './generate/generate.ts';
import type { LintReport } from './inspection.ts';
import { Comments } from './lint/comments.ts';
import { type Finding, findingsIn } from './lint/findings.ts';

export interface Linted {
  /** The template with a comment at each finding. Equal to the template if there are none. */
  bytes: Buffer;
  report: LintReport;
}

/** More would make a document too long to read. */
const COMMENTS_MAX = 500;

/**
 * Writes a comment at each mistake in the marks of a template. Without mistakes, it writes one at each doubt, such as a call that
 * the language does not have. With data, it also marks what the data lack, and lists what no mark reads of them. Comments about
 * headers, footers, notes and other parts stand at the start of the document. Rejects with the errors of `openTemplate`, and with
 * those of `findingsIn`.
 */
export async function lint(source: Buffer, templates: OwnTemplates, data?: Json): Promise<Linted> {
  const template = await templates.open(source);
  const findings = findingsIn(template, data);
  const mistakes = findings.filter(({ kind }) => kind === 'mistake').length;
  const editor = new PackageEditor(template);
  const { main } = template.document;
  const body = template.stories.find(({ part }) => part.key === main.key);
  if (findings.length > 0 && body !== undefined) {
    const comments = new Comments(editor, body);
    const others = findings.length - COMMENTS_MAX;
    if (others > 0) comments.add(`${others} more have no comment of their own.`, undefined);
    for (const finding of findings.slice(0, COMMENTS_MAX)) {
      const isInBody = finding.story?.part.key === main.key;
      comments.add(textOf(finding, isInBody), isInBody ? finding.node : undefined);
    }
    comments.write();
  }
  return {
    bytes: editor.build(),
    report: { mistakes, doubts: findings.length - mistakes, ...removedBy(template, editor) },
  };
}

function textOf({ kind, text, story }: Finding, isInBody: boolean): string {
  const place = isInBody || story === undefined ? '' : ` in ${story.part.name}`;
  return `${kind === 'mistake' ? 'Mistake' : 'Doubt'}${place}. ${text}.`;
}
