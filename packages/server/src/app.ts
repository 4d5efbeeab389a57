import type { Logger } from 'pino';
import type { Config } from './config.ts';
import type { LiveEvents } from './domain/events/live-events.ts';
import { PageWords } from './domain/preferences/page-texts.ts';
import type { Service } from './domain/service.ts';
import type { Tracer } from './domain/tracing.ts';
import { documentRoutes, explorerRoutes } from './http/docs/api-documents.ts';
import { guidePages } from './http/docs/guide.ts';
import { CredentialThrottle, createErrorHandler } from './http/errors.ts';
import { listEventsRoute, userEventsRoute } from './http/events/events.ts';
import { manageRoutes } from './http/manage/routes.ts';
import { oauthRoutes } from './http/oauth/endpoints.ts';
import { flagRoutes } from './http/ofrep/evaluate-flags.ts';
import { healthRoutes, metricsRoute } from './http/operations/health-and-metrics.ts';
import { preflightRoutes } from './http/options/api-key.ts';
import type { CatalogCache } from './http/options/catalog-cache.ts';
import { listUserOptionsRoute } from './http/options/list-user-options.ts';
import { catalogReadRoutes } from './http/options/read-catalog.ts';
import { saveUserOptionRoutes } from './http/options/save-user-options.ts';
import { userOptionRoutes } from './http/options/user-option.ts';
import { oidcSignInRoutes } from './http/portal/oidc-sign-in.ts';
import { portalPages, wantsPortal } from './http/portal/portal-pages.ts';
import { preferencePageRoutes, unsubscribeRoutes } from './http/preferences/preference-page.ts';
import { Door, type DoorParts, HEADER_LIMIT } from './http/server/door.ts';
import { type HttpReply, type HttpRequest, isStream, WireText } from './http/server/request-and-reply.ts';
import { Routes } from './http/server/routes.ts';
import { deletionReceiptRoute } from './http/users/deletion-receipt.ts';
import { preferenceLinkRoutes } from './http/users/preference-link.ts';
import { userTokenRoutes } from './http/users/user-tokens.ts';
import { userRoutes } from './http/users/users.ts';
import type { Exchanged } from './monitoring/logged-request.ts';
import { createAccessLog } from './monitoring/logging.ts';
import type { Metrics } from './monitoring/metrics.ts';
import type { RequestLog } from './monitoring/request-log.ts';
import type { SigningKeys } from './tokens/keys.ts';

export type AppParts = {
  config: Pick<Config, 'areas' | 'host' | 'metricsToken' | 'pageTexts' | 'port' | 'publicUrl' | 'trustedProxies'>;
  service: Service;
  catalogCache: CatalogCache;
  liveEvents: LiveEvents;
  keys: SigningKeys;
  metrics: Metrics;
  requestLog: Pick<RequestLog, 'observe'>;
  logger: Logger;
  tracer?: Tracer | undefined;
};

/** The HTTP interface: the list of routes, and the front door that serves them. */
export function createApp(parts: AppParts): Door {
  const { config, service, catalogCache, liveEvents, keys, metrics, logger } = parts;
  // The handlers check path parameters themselves: they know the right error code for one that is too long.
  const routes = new Routes({ maxParamLength: HEADER_LIMIT });
  const door: Door = new Door({
    routes,
    logger,
    limits: service.limits,
    tracer: parts.tracer,
    trustedProxies: config.trustedProxies,
    isHttps: config.publicUrl.startsWith('https:'),
    waitingActs: () => service.storage.waitingActs(),
    notFound(request, reply) {
      if (!config.areas.has('portal') || !wantsPortal(request)) throw routes.refusalOf(request.url);
      // Relative, because a proxy may serve Innkeeper under a path.
      reply.header('vary', 'Accept').redirect('portal');
    },
    fail: createErrorHandler({
      throttle: new CredentialThrottle(),
      logger,
      guideUrl: () => `${service.publicUrl}/guide`,
    }),
    record: createRecorder(parts),
  });

  healthRoutes(routes, service, () => door.isClosing);
  metricsRoute(routes, metrics, config.metricsToken);
  if (config.areas.has('users')) {
    userTokenRoutes(routes, service);
    userRoutes(routes, service);
    deletionReceiptRoute(routes, service);
    preferenceLinkRoutes(routes, service);
    listEventsRoute(routes, service, liveEvents);
    oauthRoutes(routes, service, () => keys.published());
  }
  // A preference link points to the process that created it, which may serve either area.
  if (config.areas.has('users') || config.areas.has('options')) {
    const words = new PageWords(config.pageTexts);
    preferencePageRoutes(routes, service, words);
    unsubscribeRoutes(routes, service, words);
  }
  if (config.areas.has('options')) {
    catalogReadRoutes(routes, { service, cache: catalogCache });
    saveUserOptionRoutes(routes, service);
    listUserOptionsRoute(routes, service);
    userOptionRoutes(routes, service);
    userEventsRoute(routes, service, liveEvents);
    flagRoutes(routes, service);
    preflightRoutes(routes);
  }
  if (config.areas.has('portal')) {
    manageRoutes(routes, service, (request) => door.sendOwn(request));
    oidcSignInRoutes(routes, service, logger);
    portalPages(routes);
  }
  documentRoutes(routes, config);
  explorerRoutes(routes, service);
  guidePages(routes);
  return door;
}

/**
 * Counts and logs a sent response, and adds it to the request log. Never includes the request's body, headers or query.
 */
function createRecorder({ service, metrics, requestLog, logger }: AppParts): DoorParts['record'] {
  const logResponse = createAccessLog(metrics, logger);
  return (request, reply, refused) => {
    const { id: requestId, method, url, address, route, milliseconds, span } = request;
    const { statusCode: status, errorCode: code } = reply;
    span?.end({ status, code });
    if (refused) {
      metrics.count(method, 'unknown', status, code);
      if (refused.log) logger.info({ reqId: requestId, method, address, status, code, reason: refused.reason });
      return;
    }
    const unlogged = route?.unlogged ?? false;
    logResponse({ requestId, method, route: route?.path, url, address, status, code, milliseconds, span, unlogged });
    const appId = applicationOf(request, service);
    if (appId !== undefined) requestLog.observe(appId, code, () => readExchanged(request, reply));
  };
}

/** The application a request was for, if any. */
export function applicationOf({ about, headers }: HttpRequest, service: Service): number | undefined {
  if (about?.appId !== undefined) return about.appId;
  // A request that matched no route of an application, such as a mistyped path.
  const clientId = about === undefined ? headers.apikey : about.clientId;
  return typeof clientId === 'string' ? service.applications.peek(clientId)?.appId : undefined;
}

export function readExchanged(request: HttpRequest, reply: HttpReply): Exchanged {
  const { about, body, headers, id, method, params, route, url } = request;
  return {
    method,
    url,
    route: route?.path,
    params,
    status: reply.statusCode,
    milliseconds: request.milliseconds,
    requestId: id,
    ip: request.address,
    userAgent: headers['user-agent'],
    authorization: headers.authorization,
    userId: about?.userId,
    body,
    answer:
      about && (reply.body instanceof WireText ? reply.body.toBuffer() : isStream(reply.body) ? undefined : reply.body),
  };
}
