import { InnkeeperError } from '../domain/errors.ts';
import type { webhookActs } from '../http/manage/webhook-acts.ts';
import type { ApplicationRecord } from '../storage/port.ts';
import type { Management } from './management.ts';
import { webhookRefusal } from './refusals.ts';
import { findApplication, type OpenStorage } from './with-storage.ts';

type Acts = ReturnType<typeof webhookActs>;

/** Works on an open database. A running service follows within a second. */
export function localWebhooks({ storage, keyring, config, now }: OpenStorage): Management['webhooks'] {
  const use = async <T>(
    clientId: string,
    ids: readonly string[],
    act: (acts: Acts, application: ApplicationRecord) => Promise<T>,
  ): Promise<T> => {
    const application = await findApplication(storage, clientId);
    const [{ createSender }, { webhookActs }] = await Promise.all([
      import('../events/sender.ts'),
      import('../http/manage/webhook-acts.ts'),
    ]);
    const webhookSender = createSender({ allow: config.webhooksAllow });
    try {
      return await act(webhookActs({ storage, keyring, webhookSender, now }), application);
    } catch (error) {
      throw error instanceof InnkeeperError ? webhookRefusal(error, ids) : error;
    } finally {
      webhookSender.close();
    }
  };

  return {
    list: (clientId) => use(clientId, [], (acts, { appId }) => acts.list(appId)),
    show: (clientId, id) => use(clientId, [id], (acts, { appId }) => acts.show(appId, id)),
    create: (clientId, wanted) => use(clientId, [], (acts, application) => acts.create(application, wanted)),
    change: (clientId, id, change) => use(clientId, [id], (acts, { appId }) => acts.change(appId, id, change)),
    delete: (clientId, id) => use(clientId, [id], (acts, { appId }) => acts.delete(appId, id)),
    rotateSecret: (clientId, id, rotation) =>
      use(clientId, [id], (acts, { appId }) => acts.rotateSecret(appId, id, rotation)),
    test: (clientId, id) => use(clientId, [id], (acts, application) => acts.test(application, id)),
    deliveries: (clientId, id, { after, limit, ...filter }) =>
      use(clientId, [id], async (acts, { appId }) => {
        const { items, next } = await acts.deliveries(appId, id, filter, { before: after ?? null, limit });
        return { items, next };
      }),
    resend: (clientId, id, deliveryId) =>
      use(clientId, [id, deliveryId], (acts, { appId }) => acts.resend(appId, id, deliveryId)),
  };
}
