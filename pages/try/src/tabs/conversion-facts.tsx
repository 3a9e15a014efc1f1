import type { ConversionReport } from '@scriptorium/client';
import { counted } from '../words.ts';

type Stage = readonly [name: string, ms: number | undefined];

/** What the service reports of a conversion: differences as a list, and the time of each stage. */
export function ConversionFacts({ report }: { report: ConversionReport }) {
  const { timings } = report;
  const stages: Stage[] = [
    ['Sanitize', timings.gateMs],
    ['Wait for an engine', timings.waitMs],
    ['Load', timings.loadMs],
    ['Update fields', timings.updateMs],
    ['Lay out and write', timings.exportMs],
  ];
  const remarks = remarksOf(report);
  return (
    <section class="facts-block" aria-label="Report">
      <h2>Report</h2>
      {remarks.length === 0 ? (
        <p class="good">Nothing was lost or replaced.</p>
      ) : (
        <ul class="remarks">
          {remarks.map((remark) => (
            <li key={remark}>
              <bdi>{remark}</bdi>
            </li>
          ))}
        </ul>
      )}
      <table class="stages">
        <caption>
          {counted(report.pages, 'page')} in {Math.round(timings.totalMs)} ms
        </caption>
        <tbody>
          {stages
            .filter(([, ms]) => ms !== undefined)
            .map(([name, ms = 0]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>
                  <meter min={0} max={Math.max(1, timings.totalMs)} value={ms} aria-label={name} />
                </td>
                <td class="number">{Math.round(ms)} ms</td>
              </tr>
            ))}
        </tbody>
      </table>
    </section>
  );
}

function remarksOf({
  fonts,
  dropped,
  macros,
  revisions,
  comments,
  fields,
  conformance,
}: ConversionReport): string[] {
  const changes = revisions.insertions + revisions.deletions + revisions.moves + revisions.formatting;
  return [
    ...(fonts.replaced ?? []).map(
      ({ asked, used }) => `Font ${asked} is not installed${used ? `: ${used} is used` : ''}`,
    ),
    ...fonts.missingScripts.map((script) => `No font has the script ${script}`),
    ...dropped.items.map(
      ({ what, part, detail }) => `Removed: ${what} in ${part}${detail ? ` (${detail})` : ''}`,
    ),
    ...(macros ? ['The document has macros. They never run'] : []),
    ...(changes > 0 ? [`${counted(changes, 'tracked change')}, shown as ${revisions.shown}`] : []),
    ...(comments.count > 0
      ? [`${counted(comments.count, 'comment')}: ${comments.shown === 'hide' ? 'left out' : 'in the margin'}`]
      : []),
    ...(fields.frozen > 0 ? [`${counted(fields.frozen, 'field')} with the text of the last save`] : []),
    ...(conformance?.missing ?? []).map(({ what, count }) => `Not conforming: ${what} (${count})`),
  ];
}
