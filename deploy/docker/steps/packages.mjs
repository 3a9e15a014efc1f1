// packages.mjs <kind>: the Debian packages of that kind which services run with, as deploy/local installs them.
import { requirements } from '../../local/requirements.mjs';

const [, , kind] = process.argv;
const names = requirements
  .filter((need) => need.kind === kind && !need.package.endsWith('-dev'))
  .map((need) => need.package);
if (names.length === 0) throw new Error(`there are no packages of the kind ${kind}`);
process.stdout.write(`${names.join(' ')}\n`);
