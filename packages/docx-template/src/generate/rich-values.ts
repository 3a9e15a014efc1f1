import type { PackageEditor } from '../package-editor.ts';
import type { Resources } from './resources.ts';
import type { Replacement, Values } from './values.ts';
export class RichValues implements Values {
  constructor(_editor: PackageEditor, _resources: Resources) {}
  render(value: unknown): string | Replacement | undefined { return { runs: JSON.stringify(value) }; }
  control(): string | undefined { return undefined; }
}
