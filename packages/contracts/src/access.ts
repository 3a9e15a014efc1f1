import { annotateJob } from './jobs/annotate.ts';
import { augmentJob } from './jobs/augment.ts';
import { convertJob } from './jobs/convert.ts';
import { generateJob } from './jobs/generate.ts';
import { inspectJob } from './jobs/inspect.ts';
import { joinJob, mergeJob } from './jobs/merge.ts';
import { convertRowsJob, fillRowsJob, joinRowsJob, signRowsJob } from './jobs/rows.ts';
import { signJob } from './jobs/sign.ts';
import { signingKeyJob } from './jobs/signing-key.ts';
import { verifyJob } from './jobs/verify.ts';
import type { Role } from './services.ts';

const FORWARDS_TO: Partial<Record<Role, readonly Role[]>> = {
  annotator: ['converter', 'signer'],
  converter: ['signer'],
};

/** Every job, and the workers to which a worker forwards requests. The rights of each user of Redis follow from them. */
export const ACCESS = {
  jobs: [
    ...[annotateJob, generateJob, inspectJob, mergeJob, joinJob, fillRowsJob, joinRowsJob],
    ...[convertJob, convertRowsJob, signJob, signRowsJob, augmentJob, signingKeyJob, verifyJob],
  ],
  forwardsTo: FORWARDS_TO,
};
