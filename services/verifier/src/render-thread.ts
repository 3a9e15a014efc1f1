import {
  type ComparedRevisions,
  type ComparisonRequest,
  compareRevisions,
} from '@scriptorium/rendering/compare-revisions';
import { answerRequests } from '@scriptorium/shared/threads/thread';

answerRequests<ComparisonRequest, ComparedRevisions>(async (request) => {
  const compared = await compareRevisions(request);
  // After the answer. The next thread starts with little memory again.
  if (compared.isSpent) setImmediate(() => process.exit());
  return compared;
});
