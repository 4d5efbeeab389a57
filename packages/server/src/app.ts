import fastify, { type FastifyInstance, type FastifyServerOptions, LogController } from 'fastify';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { InnkeeperError } from './domain/errors.ts';
import type { Service } from './domain/service.ts';
import { createAccessLog } from './http/access-log.ts';
import { answerFirst } from './http/answer-first.ts';
import type { Answering, Asked } from './http/asked.ts';
import { clientAddress, peerAddress } from './http/client-address.ts';
import { CredentialThrottle } from './http/credential-throttle.ts';
import { bringsBody, discardRest } from './http/discard-rest.ts';
import { catalogSchemaRoute } from './http/docs/catalog-schema.ts';
import { collectRoutes } from './http/docs/collect-routes.ts';
import { explorerRoutes } from './http/docs/explorer.ts';
import { guidePages } from './http/docs/guide.ts';
import { openapiRoute } from './http/docs/openapi.ts';
import { drain } from './http/drain.ts';
import { createErrorHandler, sendError } from './http/errors.ts';
import { manageRoutes } from './http/manage/routes.ts';
import type { Metrics } from './http/metrics.ts';
import { introspectRoute } from './http/oauth/introspect.ts';
import { jwksRoute } from './http/oauth/jwks.ts';
import { metadataRoute } from './http/oauth/metadata.ts';
import { revokeRoute } from './http/oauth/revoke.ts';
import { healthRoutes } from './http/operations/health.ts';
import { metricsRoute } from './http/operations/metrics.ts';
import { createReadyReads } from './http/options/ready-reads.ts';
import { optionRoutes } from './http/options/routes.ts';
import { portalPages, wantsPortal } from './http/portal/portal-pages.ts';
import { createQuickLane } from './http/quick-lane.ts';
import { admitAddress } from './http/rate-limits.ts';
import { createRawAnswers } from './http/raw-answers.ts';
import { requestIdOf } from './http/request-id.ts';
import { applicationOf, readExchanged } from './http/request-log/exchanged.ts';
import type { RequestLog } from './http/request-log/request-log.ts';
import { readableTarget } from './http/request-target.ts';
import { createTurnAway } from './http/turn-away.ts';
import { watchRoutes } from './http/unanswered.ts';
import { createUserRoute } from './http/users/create-user.ts';
import { deleteUserRoute } from './http/users/delete-user.ts';
import { getAccessTokenRoute } from './http/users/get-access-token.ts';
import { specialTokenRoute } from './http/users/special-token.ts';
import type { SigningKeys } from './tokens/keys.ts';

const BODY_LIMIT = 64 * 1024;
const HEADER_LIMIT = 16 * 1024;
/** A request has this long to arrive whole, looked at so often: within ten seconds it is here or cut off. */
const REQUEST_MS = 9_500;
const LOOK_MS = 250;
/** When the server closes, clients have this long to finish their request and take its answer. */
const CLOSE_MS = 7_000;

const COMPILERS = {
  // Request schemas describe; the rules check, so that the contract's codes answer and not the framework's.
  buildValidator: () => () => () => true,
  // And they describe answers: V8's own serialiser is as fast as a generated one, and ready at once.
  buildSerializer: () => () => JSON.stringify,
  // The types ask for what Ajv makes; Fastify calls the function, and with one given does not load Ajv at all.
} as unknown as NonNullable<FastifyServerOptions['schemaController']>['compilersFactory'] & {};

/** One year, for this host alone: others of its domain are not ours to decide about. */
const HSTS = 'max-age=31536000';

export type AppParts = {
  config: Pick<Config, 'areas' | 'host' | 'metricsToken' | 'port' | 'publicUrl' | 'trustedProxies'>;
  service: Service;
  keys: SigningKeys;
  metrics: Metrics;
  requestLog: Pick<RequestLog, 'observe'>;
  logger: Logger;
};

/** The HTTP interface: limits, what happens around every request, and the list of routes. */
export function createApp({ config, service, keys, metrics, requestLog, logger }: AppParts): FastifyInstance {
  let closing = false;
  let held: Promise<void> | undefined;
  const raw = createRawAnswers(metrics, logger, (request) => refusalOf(request));
  const app = fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    // A logger of its own for each request would cost more than what is logged of it.
    childLoggerFactory: (shared) => shared,
    bodyLimit: BODY_LIMIT,
    requestTimeout: REQUEST_MS,
    keepAliveTimeout: 65_000,
    http: {
      requireHostHeader: false,
      headersTimeout: REQUEST_MS,
      maxHeaderSize: HEADER_LIMIT,
      connectionsCheckingInterval: LOOK_MS,
      // Requests without a body are streams that have ended: nobody waits for their end.
      optimizeEmptyRequests: true,
    },
    clientErrorHandler: raw.clientError,
    rewriteUrl: ({ url = '' }) => readableTarget(url),
    trustProxy: config.trustedProxies.length > 0 && [...config.trustedProxies],
    genReqId: ({ headers }) => requestIdOf(headers),
    // Requests that arrive on open connections while the server closes are still answered.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    // The path's parts are checked by the rules, which know the right code for one that is too long.
    routerOptions: { maxParamLength: HEADER_LIMIT },
    schemaController: { compilersFactory: COMPILERS },
    frameworkErrors(error, request, reply) {
      // No hook runs for these.
      mark(request, reply);
      discardRest(request.raw);
      reply.raw.once('finish', () => record(request, reply));
      handleError(error, request, reply);
    },
  }) as unknown as FastifyInstance;
  const handleError = createErrorHandler(new CredentialThrottle());
  const isHttps = config.publicUrl.startsWith('https:');
  const mark = (request: Asked, reply: Answering): void => {
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    if (isHttps) reply.header('strict-transport-security', HSTS);
  };
  const logAnswer = createAccessLog(metrics, logger);
  const record = (request: Asked, reply: Answering): void =>
    logAnswer({
      requestId: request.id,
      method: request.method,
      route: request.routeOptions.url,
      url: request.url,
      address: clientAddress(request),
      status: reply.statusCode,
      code: reply.errorCode,
      milliseconds: reply.elapsedTime,
      unlogged: request.routeOptions.logLevel === 'warn',
    });
  /** After the answer has left. */
  const note = (request: Asked, reply: Answering): void => {
    record(request, reply);
    const appId = applicationOf(request, service);
    if (appId !== undefined) requestLog.observe(appId, reply.errorCode, () => readExchanged(request, reply));
  };
  raw.listen(app.server);

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.setErrorHandler(handleError);
  app.decorate('guideUrl', `${config.publicUrl}/guide`);
  app.decorateReply('errorCode', undefined);
  app.decorateReply('sendWire', function (body) {
    return this.send(body.toBuffer());
  });
  app.decorateRequest('about', undefined);

  const refusalOf = watchRoutes(app, HEADER_LIMIT);
  app.setNotFoundHandler((request, reply) => sendError(reply, refusalOf(request)));

  app.addHook('onRequest', (request, reply, done) => {
    // Any content type is read as JSON (CONTRACT.md section 2), a malformed one too; of what has none, no body is awaited.
    const { headers } = request.raw;
    if (!bringsBody(request.raw)) delete headers['content-type'];
    else if (headers['content-type'] !== undefined) headers['content-type'] = 'application/json';
    mark(request, reply);
    admitAddress(service, request, reply);
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
      done(new InnkeeperError('badRequest', { message: 'HTTP/1.1 needs a Host header.' }));
    } else if (request.is404 && config.areas.has('portal') && wantsPortal(request)) {
      // Relative, as a proxy may have put all of this under a path.
      reply.header('vary', 'Accept').redirect('portal');
    } else if (request.is404) {
      // Before the body is read: path and method are wrong whatever it holds.
      done(refusalOf(request));
    } else if (held) held.then(() => done(), done);
    else done();
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    if (request.about) request.about.answer = payload;
    if (closing) reply.header('connection', 'close');
    discardRest(request.raw);
    done(null, payload);
  });
  app.addHook('onResponse', (request, reply, done) => {
    note(request, reply);
    done();
  });
  app.addHook('preClose', async () => {
    closing = true;
    crowd.hearAll();
    const cutOff = setTimeout(() => app.server.closeAllConnections(), CLOSE_MS).unref();
    app.server.once('close', () => clearTimeout(cutOff));
    await drain(app.server, (until) => {
      held = until;
    });
  });

  const addressOf = peerAddress(config.trustedProxies);
  const answerReady = createReadyReads({ service, record: logAnswer, requestLog, addressOf });
  const answerQuickly = createQuickLane(app, {
    logger,
    bodyLimit: BODY_LIMIT,
    newRequestId: requestIdOf,
    addressOf,
    isClosing: () => closing,
    begin(request, reply) {
      mark(request, reply);
      admitAddress(service, request, reply);
    },
    fail: handleError,
    end: note,
  });
  const crowd = createTurnAway({ waitingActs: () => service.storage.waitingActs(), metrics, logger });
  answerFirst(app.server, (request, response, waitedMs) => {
    if (closing || held) return false;
    return (
      answerReady(request, response) || crowd.turnAway(request, response, waitedMs) || answerQuickly(request, response)
    );
  });

  const routes = collectRoutes(app);
  healthRoutes(app, service, () => closing);
  metricsRoute(app, metrics, config.metricsToken);
  if (config.areas.has('users')) {
    createUserRoute(app, service);
    specialTokenRoute(app, service);
    getAccessTokenRoute(app, service);
    deleteUserRoute(app, service);
    metadataRoute(app, service);
    jwksRoute(app, () => keys.published());
    introspectRoute(app, service);
    revokeRoute(app, service);
  }
  if (config.areas.has('options')) {
    optionRoutes(app, service);
  }
  if (config.areas.has('portal')) {
    manageRoutes(app, service);
    portalPages(app);
  }
  openapiRoute(app, routes, config);
  catalogSchemaRoute(app);
  explorerRoutes(app, service);
  guidePages(app);
  return app;
}
