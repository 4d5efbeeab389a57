import type { Remote } from '../config.ts';
import type { Rotation } from '../domain/applications/application.ts';
import type { DeliveryView, WebhookView } from '../http/manage/webhook-acts.ts';
import type { Management, ShownToken } from './management.ts';
import { webhookRefusal } from './refusals.ts';
import { applicationPath, type Call, PAGE, refusal, remoteCalls } from './remote-call.ts';
import { remoteCatalog } from './remote-catalog.ts';
import { remoteUsers } from './remote-users.ts';

/** Uses /manage/v1 of a service: needs neither its database nor its secret. */
export function remoteManagement(remote: Remote): Management {
  const calls = remoteCalls(remote);
  const { call, get } = calls;
  return {
    place: remote.url,
    applications: {
      async list() {
        const all: { clientId: string; name: string; createdAt: string }[] = [];
        for (let total = 1; all.length < total; ) {
          const page = await get<{ items: typeof all; total: number }>(
            `/applications?offset=${all.length}&limit=${PAGE}`,
          );
          all.push(...page.items.map(({ clientId, name, createdAt }) => ({ clientId, name, createdAt })));
          total = page.items.length === 0 ? 0 : page.total;
        }
        return all;
      },
      async show(clientId) {
        const { counts, changedSettings, ...shown } = await get<Shown>(applicationPath(clientId));
        // A question before deleting says how many there are, not how many at least.
        const { total: users } = counts.moreUsers
          ? await get<{ total: number }>(applicationPath(clientId, '/users?count=true&limit=1'))
          : { total: counts.users };
        return { ...shown, users, changed: changedSettings };
      },
      create: async (name) =>
        (await call<Returned<Management['applications']['create']>>('POST', '/applications', { body: { name } })).body,
      async change(clientId, { name, settings }) {
        const set = Object.entries(settings).map(([setting, value]) => [setting, value ?? null]);
        const body = { ...(name !== undefined && { name }), settings: Object.fromEntries(set) };
        const reply = await call<Shown>('PATCH', applicationPath(clientId), { body }, [400]);
        if (reply.status === 400) {
          const errors = reply.body.errors ?? [];
          return { problems: errors.map(({ field, message }) => ({ field: field.replace('settings.', ''), message })) };
        }
        const { changedSettings, ...shown } = reply.body;
        return { name: shown.name, settings: shown.settings, changed: changedSettings };
      },
      async rotateSecret(clientId, rotation) {
        const body = rotationBody(rotation);
        const reply = await call<Returned<Management['applications']['rotateSecret']>>(
          'POST',
          applicationPath(clientId, '/secrets'),
          { body },
          [409],
        );
        return reply.status === 409 ? undefined : reply.body;
      },
      async delete(clientId) {
        await call('DELETE', applicationPath(clientId, `?confirm=${encodeURIComponent(clientId)}`));
      },
    },
    catalog: remoteCatalog(calls),
    users: remoteUsers(calls),
    webhooks: remoteWebhooks(call),
    tokens: {
      async create({ lifetimeSeconds, ...wanted }) {
        const body = { ...wanted, expires: `${lifetimeSeconds}s` };
        const reply = await call<Returned<Management['tokens']['create']>>('POST', '/tokens', { body }, [404]);
        // Find out which application does not exist.
        if (reply.status === 404) for (const clientId of wanted.apps ?? []) await get(applicationPath(clientId));
        if (reply.status === 404) throw refusal(remote.url, reply);
        return reply.body;
      },
      list: async () => (await get<{ items: ShownToken[] }>('/tokens')).items,
      async revoke(tokenId) {
        const { status } = await call('DELETE', `/tokens/${encodeURIComponent(tokenId)}`, {}, [404]);
        return status === 404 ? 'unknown' : 'revoked';
      },
    },
  };
}

/** The service returns what the commands show. */
type Returned<Act extends (...args: never[]) => Promise<unknown>> = NonNullable<Awaited<ReturnType<Act>>>;

type Shown = Returned<Management['applications']['show']> & {
  counts: { users: number; moreUsers: boolean };
  changedSettings: string[];
};

/** Uses /manage/v1. */
function remoteWebhooks(call: Call): Management['webhooks'] {
  const use = async <T>(
    method: string,
    clientId: string,
    ids: readonly string[],
    rest = '',
    body?: unknown,
  ): Promise<T> => {
    const [webhookId, deliveryId] = ids.map(encodeURIComponent);
    const one = webhookId === undefined ? '' : `/${webhookId}`;
    const delivery = deliveryId === undefined ? '' : `/deliveries/${deliveryId}`;
    const path = applicationPath(clientId, `/webhooks${one}${delivery}${rest}`);
    const reply = await call<T>(method, path, { body }, [400, 404, 409]);
    if (reply.status < 300) return reply.body;
    const { message = '', errors: fields } = reply.body;
    throw webhookRefusal({ message, fields }, ids);
  };

  return {
    list: async (clientId) => (await use<{ items: WebhookView[] }>('GET', clientId, [])).items,
    show: (clientId, id) => use('GET', clientId, [id]),
    create: (clientId, wanted) => use('POST', clientId, [], '', wanted),
    change: (clientId, id, change) => use('PATCH', clientId, [id], '', change),
    delete: (clientId, id) => use('DELETE', clientId, [id]),
    rotateSecret: (clientId, id, rotation) => use('POST', clientId, [id], '/rotate-secret', rotationBody(rotation)),
    test: (clientId, id) => use('POST', clientId, [id], '/test'),
    async deliveries(clientId, id, { state, after, limit }) {
      const query = new URLSearchParams({ limit: String(limit), ...(state && { state }), ...(after && { after }) });
      const path = `/deliveries?${query}`;
      const { items, next } = await use<{ items: DeliveryView[]; next: string | null }>('GET', clientId, [id], path);
      return { items, next };
    },
    resend: (clientId, id, deliveryId) => use('POST', clientId, [id, deliveryId], '/resend'),
  };
}

/** The body for /manage/v1, also for client secrets. */
function rotationBody({ overlap, revokePrevious }: Rotation) {
  return { overlap: `${overlap}s`, ...(revokePrevious && { revokePrevious }) };
}
