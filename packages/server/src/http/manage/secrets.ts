import { fingerprintOf } from '../../domain/applications/application.ts';
import { type Rotation, readOverlap, rotateSecret } from '../../domain/applications/rotate-secret.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import { formatTime } from '../time.ts';
import { refuse } from './input.ts';
import type { ManageRoutes } from './manage-route.ts';
import { PROOF_ERRORS, ProofAnswer, ProofMembers, proveIfSignedIn } from './proof.ts';
import { Fingerprint, Time } from './schemas.ts';

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
      ...ProofAnswer,
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
