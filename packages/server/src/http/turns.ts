import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { PROBES } from './probes.ts';

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

/** Calls `answer` for a bounded number of requests in each turn. Probes do not wait. */
export function inTurns(server: Server, answer: Answer): Listener {
  const waiting: Waiting[] = [];
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
    const next = waiting.splice(0, most);
    answered = next.length;
    if (answered === 0) return;
    endAfterThis();
    const now = performance.now();
    for (const { request, response, since } of next) {
      // Some have gone meanwhile.
      if (!request.socket.destroyed) answer(request, response, now - since);
    }
  };
  server.on('connection', () => {
    hasAccepted = true;
    endAfterThis();
  });

  return (request, response) => {
    endAfterThis();
    const isInTime = waiting.length === 0 && answered < most;
    if (isInTime) answered++;
    if (isInTime || PROBES.has(request.url ?? '')) answer(request, response, 0);
    else waiting.push({ request, response, since: performance.now() });
  };
}
