import Fastify from 'fastify';
import type { RawResponse } from '../send.ts';

/** Like bare-http.ts, with one Fastify route that parses the body and returns the same bytes as the service. */
type Route = { method: string; path: string; response: RawResponse };

process.once('message', ({ method, path, response }: Route) => {
  const headers = Object.fromEntries(response.headers);
  const app = Fastify({ keepAliveTimeout: 65_000 });
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_, body, done) =>
    done(null, body),
  );
  app.route({
    method,
    url: path,
    handler: (_, reply) => reply.code(response.status).headers(headers).send(response.body),
  });
  app.listen({ port: 0, host: '127.0.0.1' }, () => process.send?.((app.server.address() as { port: number }).port));
});
