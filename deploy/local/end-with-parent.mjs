// Preloaded by hand-over.mjs: its pipe closes when the process that holds it ends, even by kill -9.
// Processes that inherit the preload (Jest's workers) have another parent, and use descriptor 3 differently.
import { Socket } from 'node:net';

if (process.env.SCRIPTORIUM_ENTRY_PID === String(process.ppid)) {
  const pipe = new Socket({ fd: 3 });
  pipe.once('close', () => process.kill(process.pid, 'SIGTERM'));
  pipe.on('error', () => {});
  pipe.resume();
  pipe.unref();
}
