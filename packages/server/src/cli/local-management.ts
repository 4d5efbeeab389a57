import { createApplication, isLive, rotateSecret } from '../domain/applications/application.ts';
import { catalogProblems, completeSettings, toUpdate } from '../domain/applications/settings.ts';
import { recordExport, recordLink } from '../domain/audit.ts';
import type { Catalog } from '../domain/catalog/catalog.ts';
import type { CatalogDefinition } from '../domain/catalog/definition.ts';
import type { PublishOutcome } from '../domain/catalog/publish.ts';
import { InnkeeperError } from '../domain/errors.ts';
import { createManageToken } from '../domain/manage/authorize-manager.ts';
import { finish } from '../domain/slices.ts';
import { emailOf } from '../domain/users/email.ts';
import type { UserFilter } from '../domain/users/match-users.ts';
import type { Storage, UserRecord } from '../storage/port.ts';
import { formatTime } from '../time.ts';
import { readUuid } from '../uuid.ts';
import { cliAuthor } from './catalog-options.ts';
import { describeDatabase } from './database-files.ts';
import { Failure, UsageError } from './failure.ts';
import { localWebhooks } from './local-webhooks.ts';
import type { ApplyOptions, Management, Published, ShownUser, WantedUsers } from './management.ts';
import { counted, visible } from './output.ts';
import {
  readTypedValue,
  refusedArgument,
  unknownApplication,
  unknownKey,
  unknownRevision,
  unknownUser,
} from './refusals.ts';
import { findApplication, type OpenStorage } from './with-storage.ts';

/** Works on an open database. Rules are loaded on use: each command loads only its own part. */
export function localManagement(open: OpenStorage): Management {
  const { storage, keyring, config, now, note } = open;
  const appIdOf = async (clientId: string): Promise<number> => (await findApplication(storage, clientId)).appId;
  /** A read replica cannot store the entry; the export does not need it. */
  const noteExport = async (write: () => Promise<void>): Promise<void> => {
    try {
      await write();
    } catch (error) {
      if (!storage.problems().some(({ kind }) => kind === 'read-only')) throw error;
      note('the database is read-only, so this export has no audit entry.');
    }
  };
  const publishing = ({ allowBreaking, ifRevision, note }: ApplyOptions) => ({
    author: cliAuthor(),
    now: now(),
    allowBreaking,
    ...(ifRevision !== undefined && { expectedRevision: ifRevision }),
    ...(note !== undefined && { note }),
  });
  const loadCatalog = async (clientId: string): Promise<Catalog> => {
    const { readCatalog } = await import('../domain/catalog/catalog.ts');
    return finish(readCatalog(await storage.catalogs.load(await appIdOf(clientId))));
  };
  const notFound = (revision: number) => (error: unknown) => {
    throw error instanceof InnkeeperError && error.error === 'revisionNotFound' ? unknownRevision(revision) : error;
  };
  const findRevision = async (clientId: string, revision: number) => {
    const { getRevision } = await import('../domain/catalog/revisions.ts');
    return getRevision(storage, await appIdOf(clientId), revision).catch(notFound(revision));
  };

  return {
    place: describeDatabase(config.databaseUrl),
    applications: {
      async list() {
        const applications = await storage.applications.list();
        return applications.map(({ clientId, name, createdAt }) => ({
          clientId,
          name,
          createdAt: formatTime(createdAt),
        }));
      },
      async show(clientId) {
        const { appId, name, createdAt, settings, secrets } = await findApplication(storage, clientId);
        return {
          name,
          createdAt: formatTime(createdAt),
          users: await storage.applications.countUsers(appId),
          settings: completeSettings(settings),
          changed: Object.keys(settings),
          secrets: secrets
            .filter((secret) => isLive(secret, now()))
            .map((secret) => ({
              createdAt: formatTime(secret.createdAt),
              expiresAt: secret.expiresAt === null ? null : formatTime(secret.expiresAt),
            })),
        };
      },
      create: (name) => createApplication(storage, keyring, name, now()),
      async change(clientId, change) {
        if (change.settings.tokenClaims) {
          const { loadCompiledCatalog } = await import('../domain/catalog/compile.ts');
          const problems = catalogProblems(change, await loadCompiledCatalog(storage, await appIdOf(clientId)));
          if (problems.length > 0) return { problems };
        }
        const outcome = await storage.applications.update(await appIdOf(clientId), toUpdate(change));
        if (outcome === 'unknown') throw unknownApplication(clientId);
        const { name, settings } = await findApplication(storage, clientId);
        return { name, settings: completeSettings(settings), changed: Object.keys(settings) };
      },
      async rotateSecret(clientId, options) {
        try {
          const rotated = await rotateSecret({ storage, keyring }, await appIdOf(clientId), options, now());
          return { clientSecret: rotated.clientSecret, previousExpiresAt: formatTime(rotated.previousExpiresAt) };
        } catch (error) {
          if (!(error instanceof InnkeeperError)) throw error;
          if (error.error === 'previousSecretValid') return undefined;
          throw unknownApplication(clientId);
        }
      },
      async delete(clientId) {
        const outcome = await storage.applications.delete(await appIdOf(clientId));
        if (outcome === 'unknown') throw unknownApplication(clientId);
      },
    },
    catalog: {
      async plan(clientId, { data }) {
        const { viewPlan } = await import('../http/manage/views.ts');
        const { planWithImpact } = await import('../domain/catalog/publish.ts');
        const { planCatalog } = await import('../domain/catalog/plan.ts');
        const current = await loadCatalog(clientId);
        const definition = await readFor(current, data);
        const plan = await planWithImpact(storage, await appIdOf(clientId), finish(planCatalog(current, definition)));
        return { revision: current.revision, ...(await viewPlan(plan)) };
      },
      async apply(clientId, { data }, options) {
        const { publishCatalog } = await import('../domain/catalog/publish.ts');
        const appId = await appIdOf(clientId);
        const definition = await readFor(await loadCatalog(clientId), data);
        return viewPublished(clientId, await publishCatalog(storage, appId, definition, publishing(options)));
      },
      async restore(clientId, revision, options) {
        const { restoreCatalog } = await import('../domain/catalog/publish.ts');
        const published = await restoreCatalog(storage, await appIdOf(clientId), revision, publishing(options));
        if (published.outcome === 'unknown-revision') throw unknownRevision(revision);
        return viewPublished(clientId, published);
      },
      async read(clientId, revision) {
        const { toFile } = await import('../domain/catalog/to-file.ts');
        const catalog =
          revision === undefined ? await loadCatalog(clientId) : (await findRevision(clientId, revision)).catalog;
        return { revision: catalog.revision, file: finish(toFile(catalog)) };
      },
      async texts(clientId, { format, language = '', revision }) {
        const { exportTexts } = await import('../domain/catalog/export-texts.ts');
        const { catalogAt } = await import('../domain/catalog/revisions.ts');
        const catalog =
          revision === undefined
            ? await loadCatalog(clientId)
            : await catalogAt(storage, await appIdOf(clientId), revision).catch(notFound(revision));
        const languages = language.split(',').filter((word) => word.trim() !== '');
        try {
          const application = await findApplication(storage, clientId);
          const { content } = finish(exportTexts(application, catalog, { format, languages }));
          return { revision: catalog.revision, content };
        } catch (error) {
          const [problem] = error instanceof InnkeeperError ? (error.fields ?? []) : [];
          throw problem ? refusedArgument(problem) : error;
        }
      },
      async types(clientId, withSchemas) {
        const { writeTypes } = await import('../domain/catalog/write-types.ts');
        const catalog = await loadCatalog(clientId);
        return { revision: catalog.revision, content: finish(writeTypes(catalog, withSchemas)) };
      },
      async importTexts(clientId, input, options) {
        const { importTexts, readTextsFile } = await import('../domain/catalog/import-texts.ts');
        const { showProblem } = await import('../domain/catalog/source.ts');
        const read = await readTextsFile(input.text, input.name);
        const show = (problems: Parameters<typeof showProblem>[1][]): string[] =>
          problems.map((problem) => showProblem(input.name, problem));
        if ('problems' in read) return { outcome: 'refused', problems: show(read.problems), conflicts: [] };
        const application = await findApplication(storage, clientId);
        const how = { author: cliAuthor(), now: now(), ...options };
        const outcome = await importTexts(storage, application, read.file, how);
        if (outcome.outcome === 'refused') return { ...outcome, problems: show(outcome.problems) };
        return { ...(await viewPublished(clientId, outcome)), outdated: outcome.outdated };
      },
      async review(clientId, input, reviewed) {
        const { readReviewedFile } = await import('./reviewed-file.ts');
        const { reviewTexts } = await import('../domain/catalog/text-states.ts');
        const catalog = await loadCatalog(clientId);
        const read = await readReviewedFile(input, catalog.languages);
        if ('problems' in read) return { outcome: 'refused', problems: read.problems };
        const appId = await appIdOf(clientId);
        const marked = await reviewTexts({ storage }, { appId }, catalog, {
          texts: read.texts,
          reviewed,
          languages: null,
        });
        return { outcome: 'marked', ...marked };
      },
      async revisions(clientId, page) {
        const { readRevision } = await import('../domain/catalog/revisions.ts');
        const { viewRevision } = await import('../http/manage/views.ts');
        const { total, items } = await storage.catalogs.revisions(await appIdOf(clientId), page);
        return { total, items: items.map((item) => viewRevision(readRevision(item))) };
      },
      async revision(clientId, revision) {
        const { viewRevision } = await import('../http/manage/views.ts');
        return viewRevision((await findRevision(clientId, revision)).record);
      },
      async migrate(clientId, { key: name, from, to, dryRun }, onProgress) {
        const { migrateValues, migrationProblem, planMigration } = await import('../domain/catalog/migrate-values.ts');
        const { compileCatalog } = await import('../domain/catalog/compile.ts');
        const { findNamedKey } = await import('../domain/users/key-names.ts');
        const appId = await appIdOf(clientId);
        const catalog = finish(compileCatalog(await loadCatalog(clientId)));
        const placed = findNamedKey(catalog, name);
        if (placed === undefined || placed === 'ambiguous') throw unknownKey(name, placed === 'ambiguous');
        const { group, key } = placed;
        const wanted = { placed, from: readTypedValue(from, key.type), to: readTypedValue(to, key.type) };
        const problem = migrationProblem(wanted);
        if (problem) throw refusedArgument(problem);
        const about = { key: `${group.name}.${key.name}`, from: wanted.from, to: wanted.to };
        const { selections: planned } = await planMigration(storage, appId, wanted);
        if (dryRun) return { ...about, planned, migrated: 0, remaining: planned };
        const done = await migrateValues(storage, appId, catalog, wanted, {
          ...{ now, actor: cliAuthor() },
          onProgress: (progress) => onProgress(progress.migrated, progress.planned),
        });
        return { ...about, planned, ...done };
      },
      async compare(clientId, from, wanted) {
        const { compareRevisions } = await import('../domain/catalog/revisions.ts');
        const appId = await appIdOf(clientId);
        const to = wanted ?? (await storage.drafts.look(appId)).revision;
        return { to, changes: await compareRevisions(storage, appId, from, to).catch(notFound(Math.max(from, to))) };
      },
    },
    users: {
      async import(clientId, lines, options) {
        const { importUsers } = await import('../domain/users/import-users.ts');
        const appId = await appIdOf(clientId);
        const { outcome, counts } = await importUsers(storage, appId, lines, { ...options, at: now() });
        if (outcome === 'application-gone') throw unknownApplication(clientId);
        const created = counts.created + counts.adopted;
        if (created > 0) await storage.activity.add([{ appId, name: 'usersCreated', count: created, lastAt: now() }]);
        return { outcome, counts };
      },
      async *export(clientId, wanted) {
        const { exportUsers, recordUsersExport } = await import('../domain/users/export-users.ts');
        const appId = await appIdOf(clientId);
        const filter = wanted && (await readWanted(storage, appId, wanted));
        await noteExport(() => recordUsersExport(storage, { actor: cliAuthor(), appId }, filter, now()));
        yield* exportUsers(storage, appId, { filter });
      },
      find: async (clientId, id) => showUser(await findUser(storage, await appIdOf(clientId), id)),
      async setStatus(clientId, id, status) {
        const { appId, userId } = await findUser(storage, await appIdOf(clientId), id);
        const updated = await storage.users.update(appId, userId, { status }, now());
        if (updated.outcome !== 'updated') throw unknownUser(id);
        return showUser(updated.user);
      },
      async delete(clientId, { service_user_code }) {
        const { userSource } = await import('./user-source.ts');
        const { writeDeletionReceipt } = await import('../http/users/deletion-receipt.ts');
        const { appId, settings } = await findApplication(storage, clientId);
        const outcome = await storage.users.delete(appId, service_user_code);
        if (outcome === 'unknown') throw unknownUser(service_user_code);
        const application = { appId, clientId, settings: completeSettings(settings) };
        return (await writeDeletionReceipt(userSource(open), application, service_user_code)) ?? null;
      },
      async exportOne(clientId, id, format) {
        const { userSource } = await import('./user-source.ts');
        const { describeUser, writeUserExport } = await import('../http/manage/export-user.ts');
        const application = await findApplication(storage, clientId);
        const user = await findUser(storage, application.appId, id);
        const { appId, userId } = user;
        await noteExport(() => recordExport(storage.audit, { actor: cliAuthor(), appId, userId }, now()));
        const settings = completeSettings(application.settings);
        const exported = await describeUser(userSource(open), { appId, clientId, settings }, user);
        return { user: showUser(user), texts: writeUserExport(exported, format) };
      },
      async link(clientId, id, wanted) {
        const { userSource } = await import('./user-source.ts');
        const { makePreferenceLink } = await import('../domain/preferences/links.ts');
        const user = await findUser(storage, await appIdOf(clientId), id);
        const { appId, userId } = user;
        try {
          const { expiresAt, ...made } = await makePreferenceLink(userSource(open), { appId }, user, wanted);
          await recordLink(storage.audit, { actor: cliAuthor(), appId, userId }, now());
          return { ...made, expiresAt: formatTime(expiresAt) };
        } catch (error) {
          throw error instanceof InnkeeperError ? new UsageError(error.message) : error;
        }
      },
      async withdrawLinks(clientId, id) {
        const user = await findUser(storage, await appIdOf(clientId), id);
        if ((await storage.users.withdrawLinks(user.appId, user.userId)) === 'unknown') throw unknownUser(id);
        return showUser(user);
      },
    },
    webhooks: localWebhooks(open),
    tokens: {
      async create({ apps, ...wanted }) {
        const appIds: number[] = [];
        for (const clientId of apps ?? []) appIds.push(await appIdOf(clientId));
        const whole = { ...wanted, accountId: null, appIds: apps && appIds };
        const made = await createManageToken(storage, keyring, whole, now());
        if (!made) {
          throw new Failure('no token was created: an application no longer exists.', {
            remedy: 'List applications with: innkeeper app list',
          });
        }
        const { tokenId, expiresAt } = made.record;
        return { token: made.token, tokenId, expiresAt: formatTime(expiresAt) };
      },
      async list() {
        const { listTokens } = await import('../http/manage/account-views.ts');
        return (await listTokens({ storage, now }, null)).items;
      },
      revoke: (tokenId) => storage.manageTokens.revoke(tokenId),
    },
  };
}

/** Reads a file with names that only the catalog can check. */
async function readFor(current: Catalog, data: unknown): Promise<CatalogDefinition> {
  const { knownOf, readDefinition } = await import('../domain/catalog/read-definition.ts');
  const { showPath } = await import('../domain/catalog/source.ts');
  const read = finish(readDefinition(data, { known: knownOf(current) }));
  if (!('problems' in read)) return read.definition;
  const problems = read.problems.map(({ path, message }) => visible(`${showPath(path)} ${message}`));
  throw new Failure(`the file cannot be used: ${counted(problems.length, 'problem')}.`, { problems });
}

async function viewPublished(clientId: string, published: PublishOutcome): Promise<Published> {
  if (published.outcome === 'application-gone') throw unknownApplication(clientId);
  if (published.outcome === 'conflict') return published;
  const { viewPlan } = await import('../http/manage/views.ts');
  const view = await viewPlan(published.plan);
  if (published.outcome === 'breaking') return { outcome: 'breaking', ...view };
  return { outcome: published.outcome, revision: published.revision, ...view };
}

async function readWanted(storage: Storage, appId: number, { where, ...more }: WantedUsers): Promise<UserFilter> {
  const [{ loadCompiledCatalog }, { readWhere, WhereProblem }] = await Promise.all([
    import('../domain/catalog/compile.ts'),
    import('../domain/users/where.ts'),
  ]);
  const catalog = await loadCompiledCatalog(storage, appId);
  try {
    return { catalog, conditions: readWhere(where, catalog), ...more };
  } catch (error) {
    throw error instanceof WhereProblem ? new UsageError(`where ${error.message}.`) : error;
  }
}

async function findUser({ users }: Storage, appId: number, id: string): Promise<UserRecord> {
  const code = readUuid(id);
  const isText = !id.includes('\u0000') && id.isWellFormed();
  // An application may use UUIDs as its own ids.
  const user =
    (code && (await users.find(appId, code))) || (isText ? await users.findByClientUserId(appId, id) : undefined);
  if (!user) throw unknownUser(id);
  return user;
}

function showUser({ userId, clientUserId, clientUserName, status, createdAt, updatedAt }: UserRecord): ShownUser {
  return {
    ...{ service_user_code: userId, clientUserId, clientUserName, email: emailOf(clientUserId), status },
    ...{ created_at: formatTime(createdAt), updated_at: formatTime(updatedAt) },
  };
}
