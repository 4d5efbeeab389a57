import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import type { Answer, Command, Fault, Person, ProviderSettings, Seen, SignIn, Trust } from './oidc-provider-main.ts';

export type OidcProviderProcess = {
  /** The issuer, for INNKEEPER_TOKEN_SERVICE_URL. It survives restarts. */
  url: string;
  clientId: string;
  clientSecret: string;
  /** The key of its JWT access tokens, so that tests can sign others. */
  signingKey: JWK;
  /** 'refused' ends the process; any other value, even 'none', restarts it if necessary. */
  fail(fault: Fault | 'refused'): Promise<void>;
  /** Accepts another Innkeeper's subject tokens from now on. */
  trust(trust: Trust): Promise<void>;
  /** The person who signs in from now on; null presses cancel. */
  person(person: Person | null): Promise<void>;
  /** The requests it has received since its last start. */
  seen(): Promise<Seen>;
  stop(): Promise<void>;
};

export type OidcProviderOptions = Trust & {
  signIn?: SignIn;
  /** 'jwt' is verified by its JWKS, 'opaque' by introspection. */
  tokenFormat?: 'jwt' | 'opaque';
  tokenSeconds?: number;
};

/** A real OAuth 2.0 server with token exchange, in its own process on a free port. */
export async function startOidcProvider(options: OidcProviderOptions = {}): Promise<OidcProviderProcess> {
  const { privateKey } = await generateKeyPair('EdDSA', { extractable: true });
  const signingKey = {
    ...(await exportJWK(privateKey)),
    kid: randomBytes(8).toString('hex'),
    alg: 'EdDSA',
    use: 'sig',
  };
  const { tokenFormat = 'jwt', tokenSeconds = 600, ...trust } = options;
  const settings: ProviderSettings = {
    port: 0,
    clientId: 'innkeeper',
    clientSecret: randomBytes(32).toString('base64url'),
    tokenFormat,
    tokenSeconds,
    signingKey,
    ...trust,
  };
  let child: ChildProcess | undefined = await run(settings);
  let commands = 0;

  async function send(command: Omit<Command, 'id'>): Promise<Seen> {
    child ??= await run(settings);
    const listener = child;
    commands += 1;
    const id = commands;
    const answered = Promise.withResolvers<Seen>();
    const onMessage = (answer: Answer) => answer.id === id && answered.resolve(answer.seen);
    const onExit = () => answered.reject(new Error('the oidc-provider process ended'));
    listener.on('message', onMessage).once('exit', onExit);
    listener.send({ id, ...command } satisfies Command);
    try {
      return await answered.promise;
    } finally {
      listener.off('message', onMessage).off('exit', onExit);
    }
  }

  async function stop(): Promise<void> {
    const stopping = child;
    child = undefined;
    if (!stopping || stopping.exitCode !== null || stopping.signalCode !== null) return;
    stopping.kill('SIGKILL');
    await once(stopping, 'exit');
  }

  return {
    url: `http://127.0.0.1:${settings.port}`,
    clientId: settings.clientId,
    clientSecret: settings.clientSecret,
    signingKey,
    async fail(fault) {
      if (fault === 'refused') await stop();
      else await send({ fault });
    },
    async trust(change) {
      // Also applies after a restart.
      delete settings.trustJwks;
      delete settings.trustJwksUrl;
      Object.assign(settings, change);
      if (child) await send({ trust: change });
    },
    async person(person) {
      await send({ person });
    },
    seen: () => send({}),
    stop,
  };
}

async function run(settings: ProviderSettings): Promise<ChildProcess> {
  const child = fork(fileURLToPath(new URL('oidc-provider-main.ts', import.meta.url)), {
    // The test runner's own flags and loaders do not apply here.
    execArgv: [],
    env: { PATH: process.env.PATH, OIDC_PROVIDER_SETTINGS: JSON.stringify(settings) },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output = `${output}${chunk}`.slice(-4_000);
    });
  }
  const ready = Promise.withResolvers<{ port: number }>();
  const onExit = () => ready.reject(new Error(`the oidc-provider process did not start:\n${output}`));
  child.once('message', ready.resolve).once('exit', onExit);
  settings.port = (await ready.promise).port;
  child.off('exit', onExit);
  return child;
}
