import { run } from './scale/run.ts';

const m = await run({
  seconds: 2,
  rounds: 1,
  converters: [1, 2],
  gateways: [1, 2],
  say: (t) => process.stderr.write(`${t}\n`),
});
console.log(JSON.stringify(m, null, 1));
