import { fingerprintOf } from '../../domain/applications/application.ts';
import { type Rotation, readOverlap, rotateSecret } from '../../domain/applications/rotate-secret.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import type { Routes } from '../server/routes.ts';
import { formatTime } from '../time.ts';

import { refuse } from './input.ts';
import { applicationRoute } from './manage-route.ts';
import { PROOF_ERRORS, ProofAnswer, ProofMembers, proveIfSignedIn } from './proof.ts';
import { Fingerprint, Time } from './schemas.ts';

/** Of a body that rotates a secret of a client or of a webhook. */
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

const schema = {
  operationId: 'rotateSecret',
  summary: 'Rotate the clientSecret of an application',
  description:
    'The new clientSecret is shown only in this response. The previous one stays valid for the overlap. While an older one is still valid, another rotation is refused, unless revokePrevious is true or the overlap is 0.',
  body: Type.Object({ ...RotationMembers, ...ProofMembers }),
  errors: [...PROOF_ERRORS, 'previousSecretValid'] as const,
  response: {
    ...ProofAnswer,
    201: Type.Object({ clientSecret: Type.String(), fingerprint: Fingerprint, previousExpiresAt: Time }),
  },
};

export function rotateSecretRoute(app: Routes, service: Service): void {
  const operation = { method: 'POST', path: '/secrets', schema, access: 'own' } as const;
  applicationRoute(app, service, operation, async (context) => {
    const { application, readBody, reply } = context;
    const { password, code, ...wanted } = readBody();
    const rotation = readRotation(wanted);
    await proveIfSignedIn(service, context, { password, code });
    const { keyring, now, refresh } = service;
    const rotated = await rotateSecret(service, application.appId, rotation, now());
    await refresh().catch(() => {});
    reply.code(201);
    const { clientSecret, previousExpiresAt } = rotated;
    const fingerprint = fingerprintOf(keyring.hashSecret(clientSecret));
    return { clientSecret, fingerprint, previousExpiresAt: formatTime(previousExpiresAt) };
  });
}

export function readRotation(wanted: { overlap?: number | string; revokePrevious?: boolean }): Rotation {
  const overlap = readOverlap(wanted.overlap);
  if ('problem' in overlap) throw refuse('overlap', overlap.problem);
  return { overlap: overlap.seconds, revokePrevious: wanted.revokePrevious ?? false };
}
