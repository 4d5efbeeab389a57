import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { isProbe } from './probes.ts';
import { readAgain, stopReading } from './unheard.ts';

/**
 * So many requests are answered in one turn of the event loop; what else has come waits for the turns after it, in the order it came.
 * Before a turn is over no timer rings and nobody is let in. And whoever is answered within it may be back within it: while libuv finds
 * a thousand connections ready it reads on, up to 48 times, which with a thousand hasty clients is some seconds.
 */
const MOST_IN_A_TURN = 128;
/**
 * Node accepts one connection in a turn. While there are any to accept, turns are short: of a thousand clients that come at the same
 * moment, each would otherwise wait for the requests of all that came before it, time and again.
 */
const MOST_WHILE_OTHERS_CONNECT = 8;

type Listener = (request: IncomingMessage, response: ServerResponse) => void;
/** `waitedMs` is how long it has waited for its turn. */
type Answer = (request: IncomingMessage, response: ServerResponse, waitedMs: number) => void;
type Waiting = { request: IncomingMessage; response: ServerResponse; since: number };
/** The requests of one connection: more than one where its client does not wait for answers. */
type Line = { waiting: Waiting[]; isUnheard: boolean };

/** Calls `answer` for a bounded number of requests in each turn: of each connection one, then of each another. Probes do not wait. */
export function inTurns(server: Server, answer: Answer): Listener {
  /** The first is the one whose turn comes next. */
  const lines = new Map<Socket, Line>();
  /** Since a turn was last seen to end. */
  let answered = 0;
  let most = MOST_IN_A_TURN;
  let hasAccepted = false;
  let endsSoon = false;

  const endAfterThis = (): void => {
    if (endsSoon) return;
    endsSoon = true;
    setImmediate(endTurn);
  };
  const endTurn = (): void => {
    endsSoon = false;
    most = hasAccepted ? MOST_WHILE_OTHERS_CONNECT : MOST_IN_A_TURN;
    hasAccepted = false;
    answered = 0;
    if (lines.size === 0) return;
    endAfterThis();
    const now = performance.now();
    for (const [socket, line] of lines) {
      if (answered === most) break;
      answered++;
      lines.delete(socket);
      const { request, response, since } = line.waiting.shift() as Waiting;
      if (line.waiting.length > 0) lines.set(socket, line);
      else if (line.isUnheard) readAgain(socket);
      // Some have gone meanwhile.
      if (!socket.destroyed) answer(request, response, now - since);
    }
  };
  server.on('connection', () => {
    hasAccepted = true;
    endAfterThis();
  });
  const wait = (waiting: Waiting): void => {
    const { socket } = waiting.request;
    const line = lines.get(socket);
    if (!line) {
      lines.set(socket, { waiting: [waiting], isUnheard: false });
      endAfterThis();
      return;
    }
    line.waiting.push(waiting);
    if (line.isUnheard) return;
    // Node would read on for as long as nothing is answered, and its client could send without end.
    line.isUnheard = true;
    stopReading(socket);
  };

  return (request, response) => {
    const isInTime = lines.size === 0 && answered < most;
    // Not for the end of every turn: the event loop would go round once more for each.
    if (isInTime && ++answered > most / 2) endAfterThis();
    if (isInTime || isProbe(request)) answer(request, response, 0);
    else wait({ request, response, since: performance.now() });
  };
}
