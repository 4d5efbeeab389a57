import { isDeepStrictEqual } from 'node:util';
import {
  type Application,
  createApplication,
  fingerprintOf,
  type Rotation,
  readOverlap,
  rotateSecret,
} from '../../domain/applications/application.ts';
import { type PageColors, readAccentColor, readableAccent } from '../../domain/applications/look.ts';
import { catalogProblems, readChange, SETTING_NAMES, SETTINGS, toUpdate } from '../../domain/applications/settings.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import type { Manager } from '../../domain/manage/authorize-manager.ts';
import { countParts } from '../../domain/overview.ts';
import { displayNameProblem } from '../../domain/required.ts';
import type { Service } from '../../domain/service.ts';
import { readElsewhere, Type } from '../../schema.ts';
import { formatTime } from '../../time.ts';
import { ListResponse } from '../options/schemas.ts';
import { badParameter, toListing } from '../paging.ts';
import { DARK_CARD, LIGHT_PAGE } from '../preferences/page-assets.ts';
import { forbidden, pageOf, refuse } from './input.ts';
import type { ManageRoutes } from './manage-route.ts';
import { PROOF_ERRORS, ProofMembers, ProofResponse, proveIfSignedIn } from './proof.ts';
import { AccessShape, ApplicationResponse, Fingerprint, PageQuery, SettingsPatch, Time } from './schemas.ts';
import { viewSecrets } from './views.ts';

const Colors = Type.Object({
  accent: Type.String({ description: 'of links and buttons' }),
  onAccent: Type.String({ description: 'of the text of buttons' }),
  background: Type.String(),
});

/** Applications and their settings. */
export function applicationRoutes({ manageRoute, applicationRoute }: ManageRoutes, service: Service): void {
  /** Oldest first. */
  manageRoute('GET', '/applications', {
    operationId: 'listApplications',
    summary: 'List applications',
    querystring: PageQuery,
    response: {
      200: ListResponse(
        Type.Object({ clientId: Type.String(), name: Type.String(), createdAt: Time, access: AccessShape }),
      ),
    },
    async handle({ readQuery, linked, manager }) {
      const page = pageOf(readQuery());
      const readable = (await service.storage.applications.list()).filter(({ appId }) => manager.accessTo(appId));
      const listing = toListing(readable, page);
      const items = listing.items.map(({ appId, clientId, name, createdAt }) => ({
        clientId,
        name,
        createdAt: formatTime(createdAt),
        access: manager.accessTo(appId),
      }));
      return linked({ ...listing, items });
    },
  });

  manageRoute('POST', '/applications', {
    operationId: 'createApplication',
    summary: 'Create an application',
    description:
      'The clientSecret is shown only in this response. Requires an administrator, or a token for all applications with access own.',
    body: Type.Object({ name: Type.String({ description: 'display name, 1 to 255 characters' }) }),
    response: {
      201: Type.Object({ clientId: Type.String(), clientSecret: Type.String(), name: Type.String() }),
    },
    errors: ['manageForbidden'],
    async handle({ manager, readBody, reply }) {
      if (!manager.canCreateApplications)
        throw forbidden(
          'Only an administrator, or a token for all applications with access "own", can create applications.',
        );
      const { name } = readBody();
      const problem = displayNameProblem(name);
      if (problem !== undefined) throw refuse('name', problem);
      const { storage, keyring, now, refresh } = service;
      const made = await createApplication(storage, keyring, name, now());
      await refresh().catch(() => {});
      reply.header('location', `/manage/v1/applications/${made.clientId}`);
      return made;
    },
  });

  applicationRoute('GET', '', {
    operationId: 'getApplication',
    summary: 'Get one application',
    description: 'With its effective settings, the age of its secrets, and counts of its contents.',
    response: { 200: ApplicationResponse },
    handle: ({ manager, application }) => viewApplication(service, manager, application),
  });

  applicationRoute('GET', '/preference-page-colors', {
    operationId: 'previewPageColors',
    summary: 'Preview the colours of the preference page',
    description: 'The colours that the page derives from an `accentColor`, readable in light and dark.',
    querystring: Type.Object({ accentColor: Type.String({ description: 'such as #1f5fbf' }) }),
    response: { 200: Type.Object({ light: Colors, dark: Colors }) },
    async handle({ readQuery }) {
      const read = readAccentColor(readQuery().accentColor);
      if ('problem' in read) throw refuse('accentColor', read.problem);
      const on = (background: string): PageColors & { background: string } => ({
        ...readableAccent(read.value, background),
        background,
      });
      return { light: on(LIGHT_PAGE), dark: on(DARK_CARD) };
    },
  });

  applicationRoute('PATCH', '', {
    operationId: 'changeApplication',
    access: 'own',
    summary: 'Change the name or settings of an application',
    description: 'Changes all given settings or none. Others stay unchanged; null resets one to its default.',
    body: Type.Object({ name: Type.Optional(Type.String()), settings: Type.Optional(readElsewhere(SettingsPatch)) }),
    response: { 200: ApplicationResponse },
    async handle({ manager, application, readBody }) {
      const { name, settings = {} } = readBody();
      if (settings === null || typeof settings !== 'object' || Array.isArray(settings)) {
        throw refuse('settings', 'must be an object');
      }
      if ('name' in settings) throw refuse('settings.name', 'is not a setting of an application');
      const read = readChange([...(name === undefined ? [] : [['name', name] as const]), ...Object.entries(settings)]);
      const catalog = await service.catalogs.get(application.appId);
      const problems = 'problems' in read ? read.problems : catalogProblems(read.change, catalog);
      if ('problems' in read || problems.length > 0) {
        throw badParameter(
          problems.map(({ field, message }) => ({ field: field === 'name' ? field : `settings.${field}`, message })),
        );
      }
      const outcome = await service.storage.applications.update(application.appId, toUpdate(read.change));
      if (outcome === 'unknown') throw new InnkeeperError('applicationNotFound');
      await service.refresh();
      const changed = await service.applications.findByClientId(application.clientId);
      if (!changed) throw new InnkeeperError('applicationNotFound');
      return viewApplication(service, manager, changed);
    },
  });

  applicationRoute('DELETE', '', {
    operationId: 'deleteApplication',
    access: 'own',
    summary: 'Delete an application with all of its data',
    description: 'This cannot be undone, so the clientId must be sent again as confirmation.',
    querystring: Type.Object({ confirm: Type.String({ description: 'the clientId again' }) }),
    response: { 204: Type.Null({ description: 'The application was deleted.' }) },
    async handle({ application, readQuery }) {
      if (readQuery().confirm !== application.clientId) {
        throw refuse('confirm', 'must be the clientId of the application to delete');
      }
      const outcome = await service.storage.applications.delete(application.appId);
      if (outcome === 'unknown') throw new InnkeeperError('applicationNotFound');
      await service.refresh().catch(() => {});
    },
  });
}

/** An application with its effective settings. */
async function viewApplication(service: Service, manager: Manager, application: Application) {
  const { appId, clientId, name, createdAt, settings } = application;
  return {
    clientId,
    name,
    createdAt: formatTime(createdAt),
    access: manager.accessTo(appId),
    settings,
    changedSettings: SETTING_NAMES.filter(
      (setting) => !isDeepStrictEqual(settings[setting], SETTINGS[setting].default),
    ),
    secrets: viewSecrets(application, await service.storage.applications.secretUses(appId), service.now()),
    counts: await countParts(service, application),
  };
}

/** Body members for rotating the secret of a client or a webhook. */
export const RotationMembers = {
  overlap: Type.Optional(
    Type.Union([Type.Integer(), Type.String()], {
      description: 'a number of seconds, or a string with a unit: 0s, 30m, 24h; at most 30d',
      default: '24h',
    }),
  ),
  revokePrevious: Type.Optional(
    Type.Boolean({ description: 'revoke a previous secret that is still valid', default: false }),
  ),
};

/** The clientSecret of an application. */
export function secretRoutes({ applicationRoute }: ManageRoutes, service: Service): void {
  applicationRoute('POST', '/secrets', {
    operationId: 'rotateSecret',
    access: 'own',
    summary: 'Rotate the clientSecret of an application',
    description:
      'The new clientSecret is shown only in this response. The previous one stays valid for the overlap. While an older one is still valid, another rotation is refused, unless revokePrevious is true or the overlap is 0.',
    body: Type.Object({ ...RotationMembers, ...ProofMembers }),
    errors: [...PROOF_ERRORS, 'previousSecretValid'],
    response: {
      ...ProofResponse,
      201: Type.Object({ clientSecret: Type.String(), fingerprint: Fingerprint, previousExpiresAt: Time }),
    },
    async handle(context) {
      const { application, readBody } = context;
      const { password, code, ...wanted } = readBody();
      const rotation = readRotation(wanted);
      await proveIfSignedIn(service, context, { password, code });
      const { keyring, now, refresh } = service;
      const rotated = await rotateSecret(service, application.appId, rotation, now());
      await refresh().catch(() => {});
      const { clientSecret, previousExpiresAt } = rotated;
      const fingerprint = fingerprintOf(keyring.hashSecret(clientSecret));
      return { clientSecret, fingerprint, previousExpiresAt: formatTime(previousExpiresAt) };
    },
  });

  applicationRoute('DELETE', '/secrets/previous', {
    operationId: 'endPreviousSecret',
    access: 'own',
    summary: 'Revoke the previous clientSecret now',
    description: 'The previous clientSecret stops working. If there is none, nothing happens.',
    response: { 204: Type.Null({ description: 'Only the current clientSecret is valid.' }) },
    async handle({ application }) {
      const outcome = await service.storage.applications.endPreviousSecrets(application.appId);
      if (outcome === 'unknown') throw new InnkeeperError('applicationNotFound');
      await service.refresh().catch(() => {});
    },
  });
}

export function readRotation(wanted: { overlap?: number | string; revokePrevious?: boolean }): Rotation {
  const overlap = readOverlap(wanted.overlap);
  if ('problem' in overlap) throw refuse('overlap', overlap.problem);
  return { overlap: overlap.seconds, revokePrevious: wanted.revokePrevious ?? false };
}
