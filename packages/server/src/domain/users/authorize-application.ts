import type { Application } from '../applications/application.ts';
import { InnkeeperError } from '../errors.ts';
import type { Service } from '../service.ts';

export type Credentials =
  | { kind: 'none' }
  | { kind: 'basic'; clientId: string; clientSecret: string }
  | { kind: 'bearer'; accessToken: string }
  | { kind: 'unreadable' };

export async function hasSecretOf(
  { applications, now }: Service,
  application: Application,
  credentials: Credentials,
): Promise<boolean> {
  if (credentials.kind !== 'basic' || credentials.clientId !== application.clientId) return false;
  return applications.hasSecret(application, credentials.clientSecret, now());
}

/** The application of a clientId and clientSecret sent together: 0012 if the id is unknown, then 0011. */
export async function recogniseApplication(
  service: Service,
  clientId: string,
  clientSecret: string,
): Promise<Application> {
  const application = await service.applications.findByClientId(clientId);
  if (!application) throw new InnkeeperError('applicationUnknown');
  if (!(await service.applications.hasSecret(application, clientSecret, service.now()))) {
    throw new InnkeeperError('secretWrong');
  }
  return application;
}
