import type { IncomingMessage, Server, ServerResponse } from 'node:http';

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** What `answer` answers never reaches the framework. To be called before the server listens. */
export function answerFirst(
  server: Server,
  answer: (request: IncomingMessage, response: ServerResponse) => boolean,
): void {
  const [framework] = server.listeners('request') as Listener[];
  if (!framework) throw new Error('the framework is not there yet');
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    if (!answer(request, response)) framework.call(server, request, response);
  });
}
