import { InnkeeperError } from '../errors.ts';
import type { Service } from '../service.ts';
import type { Application } from './application.ts';

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
