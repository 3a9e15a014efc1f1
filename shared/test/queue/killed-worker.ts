import { type StepName, startStep } from './steps.ts';

const [url = '', step = 'capitals'] = process.argv.slice(2);

/** A worker that is killed right after it forwarded a request, while it searches for unused blobs. */
startStep(url, step as StepName, {
  removeBlobs: async () => void process.kill(process.pid, 'SIGKILL'),
});
