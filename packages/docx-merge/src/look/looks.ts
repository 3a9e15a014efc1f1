import type { Look, LookSource } from './look.ts';
export class Looks {
  constructor(_first: LookSource, _options: object) {}
  add(_source: LookSource): Look {
    return {
      styleId: (id) => id,
      numId: (id) => id,
      unstyled: {},
      styleNames: new Map(),
      theme: undefined,
      warnings: [],
    };
  }
  styles(): string | undefined {
    return undefined;
  }
  numbering(): string | undefined {
    return undefined;
  }
}
