import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { inTurns } from './turns.ts';

type Framework = (request: IncomingMessage, response: ServerResponse) => void;
type Answer = (request: IncomingMessage, response: ServerResponse, waitedMs: number) => boolean;

/** Requests in their turns; what `answer` answers never reaches the framework. To be called before the server listens. */
export function answerFirst(server: Server, answer: Answer): void {
  const [framework] = server.listeners('request') as Framework[];
  if (!framework) throw new Error('the framework is not there yet');
  server.removeAllListeners('request');
  const listener = inTurns(server, (request, response, waitedMs) => {
    if (!answer(request, response, waitedMs)) framework.call(server, request, response);
  });
  server.on('request', listener);
}
