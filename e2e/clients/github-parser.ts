import { registerHooks } from 'node:module';

// GitHub's own parser is made for bundlers: it imports JSON without saying that it is JSON.
const json = { importAttributes: { type: 'json' } };
registerHooks({
  load: (url, context, next) => next(url, { ...context, ...(url.endsWith('.json') && json) }),
});
const { NoOperationTraceWriter, parseWorkflow } = await import('@actions/workflow-parser');
const { parseAction } = await import('@actions/workflow-parser/actions/action-parser');

// Prints the faults of a file of GitHub: `github-parser.ts parseAction|parseWorkflow TEXT`.
const [parser, content = ''] = process.argv.slice(2);
const parse = parser === 'parseAction' ? parseAction : parseWorkflow;
const { context } = parse({ name: 'file.yml', content }, new NoOperationTraceWriter());
process.stdout.write(JSON.stringify(context.errors.getErrors().map(({ message }) => message)));
