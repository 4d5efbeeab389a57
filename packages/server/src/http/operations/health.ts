import { InnkeeperError } from '../../domain/errors.ts';
import { Type } from '../../schema.ts';
import { type Problem, type Storage, StorageUnavailable } from '../../storage/port.ts';
import type { RouteSchema, Routes } from '../server/routes.ts';

const PING_LIMIT_MS = 2_000;
const Ok = Type.Object({ status: Type.Literal('ok') });
const Ready = Type.Object({
  status: Type.Enum(['ok', 'read-only'], {
    description:
      'read-only: writes fail because the disk is full, or because another process has locked the database; reads still work',
  }),
  problems: Type.Optional(
    Type.Array(
      Type.Object({
        kind: Type.String({ description: 'stable, for alerts' }),
        message: Type.String({ description: 'what is wrong, then what to do' }),
      }),
    ),
  ),
});

const live = {
  operationId: 'getLiveness',
  summary: 'Check that the process is alive',
  tags: ['operations'],
  response: { 200: Ok },
  errors: [],
} satisfies RouteSchema;

const ready = {
  operationId: 'getReadiness',
  summary: 'Check that the service can serve',
  description:
    'Checks the database, its file and the clock; the message of a 503 says what is wrong. Also 503 while the process shuts down. On a full disk or a locked database it is 200 with status `read-only`, because reads still work.',
  tags: ['operations'],
  response: { 200: Ready },
  errors: ['unavailable'],
} satisfies RouteSchema;

/** /livez: the process responds. /readyz: it can also serve requests; point load balancers at it. */
export function healthRoutes(
  app: Routes,
  { storage, problems: findProblems }: { storage: Storage; problems(): readonly Problem[] },
  isClosing: () => boolean,
): void {
  app.get('/livez', { schema: live, unlogged: true, underLoad: 'first' }, async (_request, reply) => {
    reply.header('cache-control', 'no-store');
    return { status: 'ok' as const };
  });

  app.get('/readyz', { schema: ready, unlogged: true, underLoad: 'first' }, async (_request, reply) => {
    reply.header('cache-control', 'no-store');
    if (isClosing()) throw new InnkeeperError('unavailable', { message: 'The service is shutting down.' });
    const problems = findProblems();
    // Before the ping, which fails for the same reason without naming it.
    const down = problems.find(({ effect }) => effect === 'down');
    if (down) throw new InnkeeperError('unavailable', { message: down.message });
    await Promise.race([storage.ping().catch(throwUnreachable), tooLong()]);
    const isReadOnly = problems.some(({ effect }) => effect === 'read-only');
    return {
      status: isReadOnly ? ('read-only' as const) : ('ok' as const),
      ...(problems.length > 0 && { problems: problems.map(({ kind, message }) => ({ kind, message })) }),
    };
  });
}

/** The original message may contain an address, so it only goes to the log. */
function throwUnreachable(error: unknown): never {
  if (!(error instanceof StorageUnavailable)) throw error;
  throw new InnkeeperError('unavailable', { message: 'The database is unreachable.' });
}

async function tooLong(): Promise<never> {
  await new Promise((resolve) => setTimeout(resolve, PING_LIMIT_MS).unref());
  throw new InnkeeperError('unavailable', {
    message: `The database did not respond within ${PING_LIMIT_MS / 1000} s.`,
  });
}
