import { compute } from './decimals.ts';
import { isArray, isEmpty } from './json.ts';
import type { Bound } from './scope.ts';
import type { Test } from './syntax-tree.ts';

/** Whether a value passes a test of Jinja. The divisor is that of `divisibleby`. */
export function isTested(test: Test, { value, path }: Bound, divisor: Bound['value']): boolean {
  switch (test) {
    case 'defined':
      return value !== undefined && value !== null;
    case 'none':
      return value === undefined || value === null;
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === test;
    case 'mapping':
      return typeof value === 'object' && value !== null && !isArray(value);
    case 'sequence':
      return isArray(value);
    case 'true':
    case 'false':
      return value === (test === 'true');
    case 'empty':
      return isEmpty(value);
    default: {
      if (value === null || value === undefined) return false;
      const rest = compute('modulo', { value, path }, { value: divisor, path });
      return test === 'odd' ? rest === 1 : rest === 0;
    }
  }
}
