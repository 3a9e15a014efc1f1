/** What the engine host says. The protocol is described in `engine-host/serve.h`. */
export type HostMessage =
  | { verb: 'ready'; version: string }
  | { verb: 'spare'; id: number; pid: number }
  | { verb: 'done'; id: number; outcome: 'ok' | 'unreadable' | 'failed'; reason: string }
  | { verb: 'gone'; id: number; how: 'exit' | 'signal'; number: number; isUnused: boolean };

const LINE_CHARS_MAX = 4096;

/** Reads one line of the engine host; undefined where it is not of the protocol. */
export function parseHostLine(line: string): HostMessage | undefined {
  const [verb = '', first = '', second = '', third = '', fourth = ''] = line.split(' ');
  const id = Number(first);
  if (verb === 'ready') return { verb, version: first };
  if (verb === 'spare') return { verb, id, pid: Number(second) };
  if (verb === 'done' && (second === 'ok' || second === 'unreadable' || second === 'failed'))
    return { verb, id, outcome: second, reason: line.split(' ').slice(3).join(' ') };
  if (verb === 'gone' && (second === 'exit' || second === 'signal'))
    return { verb, id, how: second, number: Number(third), isUnused: fourth === 'unused' };
  return undefined;
}

/** Cuts a stream of text into lines. A line that never ends is cut too, so that it cannot fill the memory. */
export function lineSplitter(onLine: (line: string) => void): (chunk: string) => void {
  let rest = '';
  return (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = (lines.pop() ?? '').slice(0, LINE_CHARS_MAX);
    for (const line of lines) onLine(line);
  };
}
