/** What tests import from `@jest/globals`: the functions of the framework that runs the present file. */

type Call = (...input: unknown[]) => unknown;

declare global {
  var jestGlobals: Record<string, unknown> | undefined;
}

/** A helper may be loaded before the next file has its framework. */
const forward = (name: string): Call => {
  const current = () => globalThis.jestGlobals?.[name] as Call & Record<string | symbol, unknown>;
  return new Proxy((() => undefined) as Call, {
    apply: (_target, _self, input) => current()(...input),
    get: (_target, key) => current()[key],
  });
};

export const afterAll = forward('afterAll');
export const afterEach = forward('afterEach');
export const beforeAll = forward('beforeAll');
export const beforeEach = forward('beforeEach');
export const describe = forward('describe');
export const expect = forward('expect');
export const it = forward('it');
export const jest = forward('jest');
export const test = forward('test');
