import { type Stack, stackEnvironment, startStack } from './stack.ts';

declare global {
  var testStack: Stack | undefined;
}

/**
 * Jest's `globalSetup`: one stack for the whole run; the workers get the addresses through this environment. Tests that
 * need no server run without it.
 */
export default async function globalSetup(): Promise<void> {
  if (process.env.WITHOUT_SERVERS !== undefined) return;
  const stack = await startStack();
  globalThis.testStack = stack;
  Object.assign(process.env, stackEnvironment(stack));
}
