import { setTextFont } from '@scriptorium/images/svg/rasteriser';
import { type PrepareOptions, prepare } from '@scriptorium/sanitizer/prepare';
import { answerRequests, asBuffer, threadData } from '@scriptorium/shared/threads/thread';

/** What a gate thread is asked: one document at a time. */
export interface GateRequest {
  bytes: Uint8Array;
  options: PrepareOptions;
}

/** What it starts with. */
export interface GateThreadData {
  font: Uint8Array | undefined;
}

setTextFont(threadData<GateThreadData>().font);
answerRequests(
  ({ bytes, options }: GateRequest) => prepare(asBuffer(bytes), options),
  (prepared) => prepared.bytes,
);
