import type { Syntax } from '../instruction.ts';
import { carbone } from './carbone.ts';
import { command } from './command.ts';
import { curly } from './curly.ts';
import type { Dialect } from './dialect.ts';
import { dotnet } from './dotnet.ts';
import { handlebars } from './handlebars.ts';
import { jinja } from './jinja.ts';
import { poiTl } from './poi-tl.ts';
import { stamper } from './stamper.ts';

/** The languages whose marks are text. */
const DIALECTS: readonly Dialect[] = [curly, jinja, poiTl, carbone, command, stamper, handlebars, dotnet];

export type TextSyntax = Exclude<Syntax, 'word'>;

/** The language with this name. */
export function dialectFor(syntax: TextSyntax): Dialect {
  const found = DIALECTS.find((dialect) => dialect.syntax === syntax);
  if (found === undefined) throw new Error(`no language ${syntax}`);
  return found;
}
