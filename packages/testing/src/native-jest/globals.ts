/** What tests import from `@jest/globals`: the functions of the framework that runs the present file. */

type Call = (...input: unknown[]) => unknown;

declare global {
  var jestGlobals: Record<string, unknown> | undefined;
}

/** Looked up at each call: a helper that a worker keeps, and what it made of `test`, serve the files after its own, too. */
const forward = (...path: (string | symbol)[]): Call => {
  const current = () =>
    path.reduce(
      (value, key) => (value as Record<string | symbol, unknown>)[key],
      globalThis.jestGlobals as unknown,
    );
  return new Proxy((() => undefined) as Call, {
    apply: (_target, _self, input) => (current() as Call)(...input),
    get(_target, key) {
      const value = (current() as unknown as Record<string | symbol, unknown>)[key];
      return typeof value === 'function' ? forward(...path, key) : value;
    },
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
