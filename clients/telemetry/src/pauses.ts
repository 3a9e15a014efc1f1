/** A page that is never idle is not waited for any longer than this. */
const IDLE_WAIT_MS_MAX = 2000;

/** Resolves in a task of its own, so that what runs now, and a frame that is due, come first. */
export function afterTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** Resolves when the page has nothing else to do; without `requestIdleCallback` (Safari, Node, workers) after the task. */
export function whenIdle(): Promise<void> {
  const { requestIdleCallback } = globalThis as {
    requestIdleCallback?: (run: () => void, options: { timeout: number }) => unknown;
  };
  if (!requestIdleCallback) return afterTask();
  return new Promise((resolve) => requestIdleCallback(() => resolve(), { timeout: IDLE_WAIT_MS_MAX }));
}
