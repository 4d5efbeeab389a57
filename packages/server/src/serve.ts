import { isIPv6 } from 'node:net';
import type { Logger } from 'pino';
import { metricsText, sharesPort } from './cluster.ts';
import { type Config, listeningUrl, type OidcSettings } from './config.ts';
import { ActivityCounter } from './domain/activity.ts';
import { ApplicationDirectory } from './domain/applications/directory.ts';
import { UserCounts } from './domain/applications/user-counts.ts';
import { currentActor, UserReads } from './domain/audit.ts';
import { CatalogDirectory, OpenCatalogs } from './domain/catalog/directory.ts';
import { checkSecret } from './domain/check-secret.ts';
import { Clock, type TimeSources } from './domain/clock.ts';
import { LiveEvents } from './domain/events/live-events.ts';
import { followChanges } from './domain/follow-changes.ts';
import { createKeyring, type Keyring } from './domain/keyring.ts';
import { Allowances, RateLimits } from './domain/limits/rate-limits.ts';
import { keepWarning } from './domain/mail/notices.ts';
import { reportProblems, runMaintenance, scrubRegularly } from './domain/maintenance.ts';
import type { Service } from './domain/service.ts';
import { SearchTime } from './domain/users/search-time.ts';
import { WebhookDispatcher } from './events/dispatcher.ts';
import { createSender } from './events/sender.ts';
import { CatalogCache } from './http/options/catalog-cache.ts';
import type { MailSettings } from './mail/mail-settings.ts';
import { SmtpMailer } from './mail/smtp-mailer.ts';
import { logOutput } from './monitoring/log-output.ts';
import { createLogger } from './monitoring/logging.ts';
import { createMetrics, timedStorage } from './monitoring/metrics.ts';
import { RequestLog } from './monitoring/request-log.ts';
import { SecretWatch } from './secret-watch.ts';
import { auditedStorage } from './storage/audited-storage.ts';
import { storageDriver } from './storage/open.ts';
import { worstFirst } from './storage/port.ts';
import { createEmbeddedTokenService } from './tokens/embedded.ts';
import { SigningKeys } from './tokens/keys.ts';
import type { TokenService } from './tokens/port.ts';
import { WorkPool } from './work/pool.ts';
import { workerProblems } from './worker-watch.ts';

/** How long a shutdown waits for a log reader that has stopped reading. */
const LOG_DRAIN_MS = 1_000;

export type RunningServer = {
  url: string;
  service: Service;
  logger: Logger;
  requestsInFlight(): number;
  /** Responds to every accepted request, then releases all resources. */
  close(): Promise<void>;
};

/** Wiring only: config -> storage -> tokens -> app -> listen. */
export async function startServer(config: Config, times?: TimeSources): Promise<RunningServer> {
  const logger = createLogger(config.logLevel);
  const driver = await storageDriver(config.databaseUrl, config.databaseLink, config.actMs);
  // The database opens on its own thread or server; meanwhile, load the HTTP modules. The first address that Node checks
  // takes milliseconds: check one now instead of when listening starts.
  const loading = import('./app.ts').finally(() => isIPv6(config.host));
  const [opened, { createApp }] = await Promise.all([driver.open(), loading]);
  const clock = new Clock(opened, times);
  const { now } = clock;
  const { storage, durations: actDurations } = timedStorage(auditedStorage(opened, currentActor, now));
  const held: { close(): void | Promise<void> }[] = [storage, clock];
  /** In reverse order of acquisition. Also cleans up after a start that failed halfway. */
  const release = async (): Promise<void> => {
    const problems: unknown[] = [];
    for (const each of held.toReversed()) {
      try {
        await each.close();
      } catch (error) {
        problems.push(error);
      }
    }
    if (problems.length > 0) throw problems[0];
  };
  try {
    await clock.start();
    const telemetry =
      config.telemetry && (await import('./monitoring/open-telemetry.ts')).startTelemetry(config.telemetry, logger);
    if (telemetry) held.push(telemetry);
    const keyring = createKeyring(config.secret, config.secretPrevious);
    await checkSecret(storage, keyring);
    const secrets = new SecretWatch(config, keyring, logger);
    held.push(secrets);

    const applications = new ApplicationDirectory(storage, keyring);
    const catalogs = new CatalogDirectory(storage);
    const catalogCache = new CatalogCache(config.cacheBytes);
    const keys = new SigningKeys(storage.signingKeys, keyring, clock);
    keys.algorithmsInUse = () => applications.tokenAlgorithms();
    let { publicUrl } = config;
    const tokens = await createTokenService(config, keys, keyring, { issuer: () => publicUrl, now });
    const webhookSender = createSender({ allow: config.webhooksAllow, tracer: telemetry?.tracer });
    const dispatcher = new WebhookDispatcher(
      { storage, applications, catalogs, keyring, webhookSender, now },
      (error) => logger.warn({ err: error }, 'could not send events to webhooks; retrying'),
    );
    held.push(webhookSender, dispatcher);
    const changes = await followChanges(
      storage,
      {
        async reloadAll() {
          await secrets.follow(storage);
          await applications.loadAll();
          catalogs.forgetOthers((appId) => applications.knows(appId));
          await catalogs.reloadAll();
          catalogCache.clear();
          await keys.load();
          await dispatcher.reload();
        },
        async reloadApplications(appIds) {
          await applications.reload(appIds);
          for (const appId of appIds.filter((each) => !applications.knows(each))) {
            catalogs.forget(appId);
            catalogCache.forget(appId);
          }
        },
        async reloadCatalogs(appIds) {
          await catalogs.reload(appIds);
          for (const appId of appIds) catalogCache.forget(appId);
        },
        reloadSecret: () => secrets.follow(storage),
        reloadSigningKeys: () => keys.load(),
        reloadWebhooks: () => dispatcher.reload(),
      },
      (error) => logger.warn({ err: error }, 'could not read changes; retrying'),
    );
    held.push(tokens, { close: () => changes.stop() });
    applications.onMiss(() => changes.refresh());
    await keys.makeFirst();
    const tidying = runMaintenance(storage, keys, clock, (error) =>
      logger.warn({ err: error }, 'could not delete expired rows; retrying'),
    );

    held.push({ close: () => tidying.stop() });
    const { refresh } = changes;
    const activity = new ActivityCounter(storage, now, (error) =>
      logger.warn({ err: error }, 'could not write statistics; retrying'),
    );
    const allowances = new Allowances(storage, keyring, now, (error) =>
      logger.warn({ err: error }, 'could not share rate limit counts with other replicas; retrying'),
    );
    const openCatalogs = new OpenCatalogs(storage, catalogs);
    const work = new WorkPool();
    held.push(work);
    const oidc = config.oidc && (await startOidc(config.oidc));
    if (oidc) held.push(oidc.provider);
    const mailer = config.mail && startMailer(config.mail, logger);
    const service: Service = {
      storage,
      applications,
      catalogs,
      openCatalogs,
      tokens,
      keyring,
      signReceipt: async (algorithm, claims) => (await keys.signer('receipt+jwt', algorithm))(claims),
      activity,
      limits: new RateLimits(allowances, config),
      userReads: new UserReads(storage, () => service.now()),
      userCounts: new UserCounts(storage),
      searchTime: new SearchTime(),
      webhookSender,
      webhookFigures: () => dispatcher.figures(),
      oidc,
      passwords: config.passwords,
      mailer,
      work,
      publicUrl,
      problems: () =>
        worstFirst([
          ...storage.problems(),
          ...clock.problems(),
          ...secrets.problems(),
          ...workerProblems(),
          ...(mailer?.problems() ?? []),
        ]),
      clockSkewMs: () => clock.skewMs,
      now,
      refresh,
    };
    const requestLog = new RequestLog(service, config.requestLog, (error) =>
      logger.warn({ err: error }, 'could not write the request log; some requests are missing from it'),
    );
    held.push(activity, allowances, requestLog);
    if (mailer) {
      const warning = keepWarning(Object.assign(service, { mailer }), (error) =>
        logger.warn({ err: error }, 'could not check what to warn owners about; retrying'),
      );
      held.push(mailer, { close: () => warning.stop() });
    }
    const reporting = reportProblems(service.problems, {
      begun: ({ kind, message, effect }) => logger[effect === 'none' ? 'warn' : 'error']({ problem: kind }, message),
      over: (kind) => logger.info({ problem: kind }, 'the problem is resolved'),
    });
    held.push({ close: () => reporting.stop() });
    if (driver.scrub && config.scrubEveryMs !== undefined) {
      const scrubbing = scrubRegularly(
        driver.scrub,
        { everyMs: config.scrubEveryMs, now },
        {
          done(outcome, seconds) {
            if (outcome.outcome === 'scrubbed') logger.info({ ...outcome, seconds }, 'the database file was scrubbed');
            else logger.warn(outcome, 'the database file could not be scrubbed; retrying in an hour');
          },
          failed: (error) =>
            logger.warn({ err: error }, 'the database file could not be scrubbed; retrying in an hour'),
        },
      );
      held.push({ close: () => scrubbing.stop() });
    }
    const log = logOutput();
    const sources = {
      actDurations,
      changeLagMs: () => changes.lagMs(),
      cacheBytes: () => catalogCache.bytes,
      droppedLogLines: () => log.droppedLines,
    };
    const metrics = createMetrics({ ...sources, ...service }, metricsText);
    const liveEvents = new LiveEvents(service, config.streams);
    const app = createApp({
      config,
      service,
      catalogCache,
      liveEvents,
      keys,
      metrics,
      requestLog,
      logger,
      tracer: telemetry?.tracer,
    });
    telemetry?.observe({
      storage,
      problems: service.problems,
      requests: metrics.counts,
      requestsInFlight: () => app.requestsInFlight,
    });
    const { host, port: wanted } = config;
    const listen = { host, port: wanted, backlog: 4096, reusePort: sharesPort(config) };
    const port = await app.listen(listen);
    publicUrl = withPort(publicUrl, port);
    service.publicUrl = publicUrl;

    return {
      url: listeningUrl(config.host, port),
      service,
      logger,
      requestsInFlight: () => app.requestsInFlight,
      async close() {
        liveEvents.close();
        await app.close();
        await release();
        await logOutput().drain(LOG_DRAIN_MS);
      },
    };
  } catch (error) {
    // What failed first is reported.
    await release().catch(() => {});
    throw error;
  }
}

async function startOidc({ name, scope, issuer, clientId, clientSecret, ...rules }: OidcSettings) {
  const { createIdentityProvider } = await import('./tokens/remote/identity-provider.ts');
  return { name, rules, provider: createIdentityProvider({ issuer, clientId, clientSecret, scope }) };
}

/** The log lines contain no addresses and no links. */
function startMailer(settings: MailSettings, logger: Logger): SmtpMailer {
  return new SmtpMailer(settings, {
    onFailure: (reason, isLast) => logger.warn({ reason }, `a mail could not be sent${isLast ? '' : '; retrying'}`),
    onDropped: (mails) => logger.warn({ mails }, 'mails were dropped: the queue was full, or the service stopped'),
  });
}

/** With port 0, the public URL uses the assigned port, unless a URL was given. */
function withPort(publicUrl: string, port: number): string {
  const url = new URL(publicUrl);
  if (url.port !== '0') return publicUrl;
  url.port = String(port);
  return url.href.replace(/\/$/, '');
}

/** The configured token service: the one at INNKEEPER_TOKEN_SERVICE_URL, or the embedded one. */
async function createTokenService(
  config: Pick<Config, 'tokenService'>,
  keys: SigningKeys,
  keyring: Keyring,
  { issuer, now }: { issuer: () => string; now: () => number },
): Promise<TokenService> {
  if (!config.tokenService) return createEmbeddedTokenService({ keys, issuer, now });
  const { createRemoteTokenService } = await import('./tokens/remote.ts');
  return createRemoteTokenService({
    ...config.tokenService,
    hashToken: keyring.hashToken,
    now,
    async signSubjectToken({ user, clientId, audience, expiresInSeconds }) {
      const iat = Math.floor(now() / 1000);
      return keys.signJwt('JWT', {
        iss: issuer(),
        sub: user.userId,
        aud: audience,
        client_id: clientId,
        iat,
        exp: iat + expiresInSeconds,
      });
    },
  });
}
