import { type InspectRequest, type TemplateReport, typesOf } from '@scriptorium/client';
import { EXIT } from '../cli-error.ts';
import { type Call, type Command, JSON_OPTION } from '../command.ts';
import { say, sayTable } from '../io.ts';
import { readJson, sourceOf } from '../sources.ts';

export const inspect: Command = {
  name: 'inspect',
  synopsis: 'TEMPLATE',
  summary: 'List the fields and marks of a template.',
  arguments: [1, 1],
  options: {
    data: {
      type: 'string',
      short: 'd',
      value: 'FILE',
      help: 'JSON to compare with the marks: what it lacks, and what no mark reads',
    },
    types: { type: 'boolean', help: 'Print TypeScript of the data of the template instead' },
    name: { type: 'string', value: 'NAME', help: 'The name of the type, by default TemplateData' },
    ...JSON_OPTION,
  },
  async run(call: Call) {
    const { io } = call;
    const { client, limits } = await call.connection();
    const source = await sourceOf(io, call.arguments[0] ?? '', (await limits()).sizes.documentBytesMax);
    const data = call.text('data');
    const given = data === undefined ? {} : { data: (await readJson(io, data)) as InspectRequest['data'] };
    const report = await client.inspect(source.file, { ...given, signal: io.signal });
    if (call.flag('types')) io.stdout.write(typesOf(report, call.text('name')));
    else if (call.isJson) io.stdout.write(`${JSON.stringify(report)}\n`);
    else show(io, report);
    return EXIT.ok;
  },
};

function show({ stdout }: Call['io'], { fields, template }: TemplateReport): void {
  const rows = fields.map(({ id, names, type, count, label, location }) => [
    id,
    names.join(', '),
    type,
    String(count),
    'page' in location ? `page ${location.page}` : 'place' in location ? location.place : '',
    label ?? '',
  ]);
  if (rows.length > 0) sayTable(stdout, [['field', 'names', 'type', 'places', 'where', 'label'], ...rows]);
  else say(stdout, 'The template has no fields.');
  for (const { field, issue } of template.issues ?? []) say(stdout, `issue: ${field}: ${issue}`);
  const { unmatched, unused } = template.data ?? {};
  if (unmatched !== undefined) sayNamed(stdout, 'missing in the data', unmatched);
  if (unused !== undefined) sayNamed(stdout, 'read by no mark', unused);
}

function sayNamed(
  stdout: Call['io']['stdout'],
  what: string,
  { count, names }: { count: number; names: string[] },
): void {
  const rest = count - names.length;
  if (count > 0) say(stdout, `${what}: ${names.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`);
}
