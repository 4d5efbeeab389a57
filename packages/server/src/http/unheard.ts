import type { Socket } from 'node:net';

/** Connections that are not read from, each with the number of reasons. */
const unheard = new WeakMap<Socket, number>();

/** Whoever reads the body of a request that has come, or throws it away, resumes its connection. */
function keepPaused(this: Socket): void {
  this.pause();
}

/** What a client sends from now on waits on its way here, until `readAgain` was called as often as this. */
export function stopReading(socket: Socket): void {
  const reasons = unheard.get(socket) ?? 0;
  unheard.set(socket, reasons + 1);
  if (reasons > 0) return;
  socket.pause();
  socket.on('resume', keepPaused);
}

export function readAgain(socket: Socket): void {
  const reasons = unheard.get(socket) ?? 0;
  if (reasons > 1) {
    unheard.set(socket, reasons - 1);
    return;
  }
  unheard.delete(socket);
  socket.off('resume', keepPaused);
  socket.resume();
}
