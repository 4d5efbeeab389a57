import type { Application } from '../../domain/applications/application.ts';
import { type ErrorName, InnkeeperError } from '../../domain/errors.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import { readAuthorization } from '../authorization.ts';
import type { HttpRequest } from '../server/request-and-reply.ts';

export const CLIENT_REQUEST_ERRORS: readonly ErrorName[] = [
  'clientCredentialsWrong',
  'tokenParameterMissing',
  'tooManyFailures',
  'unavailable',
  'tokenServiceDown',
];

export const ClientRequestBody = Type.Object({
  token: Type.String(),
  token_type_hint: Type.Optional(Type.String({ description: 'accepted, not required' })),
  client_id: Type.Optional(Type.String({ description: 'if HTTP Basic is not used' })),
  client_secret: Type.Optional(Type.String({ description: 'if HTTP Basic is not used' })),
});

/**
 * The form body and the application of an OAuth request, by client_secret_basic or client_secret_post.
 */
export async function readClientRequest(
  service: Service,
  request: HttpRequest,
): Promise<{ application: Application; token: string }> {
  const form = new URLSearchParams(Buffer.isBuffer(request.body) ? request.body.toString('utf8') : '');
  const credentials = readAuthorization(request.headers.authorization);
  const [clientId, clientSecret] =
    credentials.kind === 'basic'
      ? [credentials.clientId, credentials.clientSecret]
      : [form.get('client_id') ?? '', form.get('client_secret') ?? ''];

  request.about = { clientId };
  const application = await service.applications.findByClientId(clientId);
  if (!application || !(await service.applications.hasSecret(application, clientSecret, service.now()))) {
    throw new InnkeeperError('clientCredentialsWrong');
  }
  request.admission.admitApplication(application, 'users');
  const token = form.get('token');
  if (!token) throw new InnkeeperError('tokenParameterMissing');
  return { application, token };
}
