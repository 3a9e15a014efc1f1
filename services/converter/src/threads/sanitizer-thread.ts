import { setTextFont } from '@scriptorium/images/svg';
import { loadSanitizers, type PrepareOptions, prepare } from '@scriptorium/sanitizer/sanitize';
import { answerRequests, asBuffer, threadData } from '@scriptorium/shared/threads/thread';

/** A sanitizer thread's request: one document at a time. */
export interface SanitizerRequest {
  bytes: Uint8Array;
  options: PrepareOptions;
}

/** The data that a thread starts with. */
export interface SanitizerThreadData {
  font: Uint8Array | undefined;
}

await loadSanitizers();
setTextFont(threadData<SanitizerThreadData>().font);
answerRequests(
  ({ bytes, options }: SanitizerRequest) => prepare(asBuffer(bytes), options),
  (prepared) => prepared.bytes,
);
