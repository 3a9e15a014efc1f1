import {
  type ComparedRevisions,
  type ComparisonRequest,
  compareRevisions,
} from '@scriptorium/rendering/compare-revisions';
import { answerRequests } from '@scriptorium/shared/threads/thread';

answerRequests<ComparisonRequest, ComparedRevisions>(compareRevisions);
