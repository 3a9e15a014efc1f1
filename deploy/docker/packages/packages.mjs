// packages.mjs <kind>: lists the Debian packages of that kind that services need, as deploy/local installs them.
import { requirements } from '../../local/requirements.mjs';

const [, , kind] = process.argv;
const names = requirements
  .filter((need) => need.kind === kind && !need.package.endsWith('-dev'))
  .map((need) => need.package);
if (names.length === 0) throw new Error(`no packages of kind ${kind}`);
process.stdout.write(`${names.join(' ')}\n`);
