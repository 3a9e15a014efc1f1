import './global-setup.ts';

/** Jest's `globalTeardown`. */
export default async function globalTeardown(): Promise<void> {
  await globalThis.testStack?.stop();
}
