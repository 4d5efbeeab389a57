import type { Rotation } from '../domain/applications/rotate-secret.ts';
import type { FieldError } from '../domain/errors.ts';
import type { Management } from './management.ts';
import { type Call, of } from './remote-call.ts';
import { webhookRefusal } from './webhook-refusal.ts';

/** Uses /manage/v1. */
export function remoteWebhooks(call: Call): Management['webhooks'] {
  const use = async (method: string, clientId: string, ids: readonly string[], rest = '', body?: unknown) => {
    const [webhookId, deliveryId] = ids.map(encodeURIComponent);
    const one = webhookId === undefined ? '' : `/${webhookId}`;
    const delivery = deliveryId === undefined ? '' : `/deliveries/${deliveryId}`;
    const path = of(clientId, `/webhooks${one}${delivery}${rest}`);
    const answer = await call(method, path, { body }, [400, 404, 409]);
    if (answer.status < 300) return answer.body as never;
    const { message, errors: fields } = answer.body as { message: string; errors?: FieldError[] };
    throw webhookRefusal({ message, fields }, ids);
  };

  return {
    list: async (clientId) => ((await use('GET', clientId, [])) as { items: never }).items,
    show: (clientId, id) => use('GET', clientId, [id]),
    create: (clientId, wanted) => use('POST', clientId, [], '', wanted),
    change: (clientId, id, change) => use('PATCH', clientId, [id], '', change),
    delete: (clientId, id) => use('DELETE', clientId, [id]),
    rotateSecret: (clientId, id, rotation) => use('POST', clientId, [id], '/rotate-secret', rotationBody(rotation)),
    test: (clientId, id) => use('POST', clientId, [id], '/test'),
    async deliveries(clientId, id, { state, after, limit }) {
      const query = new URLSearchParams({ limit: String(limit), ...(state && { state }), ...(after && { after }) });
      const { items, next } = (await use('GET', clientId, [id], `/deliveries?${query}`)) as {
        items: never;
        next: string | null;
      };
      return { items, next };
    },
    resend: (clientId, id, deliveryId) => use('POST', clientId, [id, deliveryId], '/resend'),
  };
}

/** The body for /manage/v1, also for client secrets. */
export function rotationBody({ overlap, revokePrevious }: Rotation) {
  return { overlap: `${overlap}s`, ...(revokePrevious && { revokePrevious }) };
}
