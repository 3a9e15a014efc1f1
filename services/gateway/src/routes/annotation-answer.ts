import type { AnnotateReport } from '@scriptorium/docx-template/annotation';
import type { Reply } from '../context.ts';

/** The headers of an answer that tell what filling did, and what the reference says of them. */
export const ANNOTATION_HEADERS = {
  'X-Fields-Filled': 'How many controls and placeholders were filled',
  'X-Fields-Unmatched':
    'How many entries of `fields` match nothing in the template; absent where every one matches',
  'X-Fields-Unmatched-List': 'Which those are, the first 100: `fields[3], fields[7]`',
  'X-Annotate-Warnings':
    '`signatures-removed` (filling breaks them), `macros-removed`; absent where there is none',
};

export function showAnnotation(response: Reply, report: AnnotateReport): void {
  const { filled, unmatched, signaturesRemoved, macrosRemoved } = report;
  response.setHeader('X-Fields-Filled', filled);
  if (unmatched.count > 0) {
    response.setHeader('X-Fields-Unmatched', unmatched.count);
    response.setHeader('X-Fields-Unmatched-List', unmatched.fields.map((at) => `fields[${at}]`).join(', '));
  }
  const warnings = [
    ...(signaturesRemoved ? ['signatures-removed'] : []),
    ...(macrosRemoved ? ['macros-removed'] : []),
  ];
  if (warnings.length > 0) response.setHeader('X-Annotate-Warnings', warnings.join(', '));
}
