/** Maximum wait for a page that is never idle. */
const IDLE_WAIT_MS_MAX = 2000;

/** Resolves in a new task, so that the current task and a pending frame come first. */
export function afterTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** Resolves when the page is idle, or after the task without `requestIdleCallback` (Safari, Node, workers). */
export function whenIdle(): Promise<void> {
  const { requestIdleCallback } = globalThis as {
    requestIdleCallback?: (run: () => void, options: { timeout: number }) => unknown;
  };
  if (!requestIdleCallback) return afterTask();
  return new Promise((resolve) => requestIdleCallback(() => resolve(), { timeout: IDLE_WAIT_MS_MAX }));
}
