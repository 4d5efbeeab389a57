import { messageOf } from '../../caught.ts';
import type { Config } from '../../config.ts';
import { IdentityProblem } from '../../tokens/port.ts';
import { type Check, failed, passed, warned, withinLimit } from './check.ts';

const LIMIT_MS = 10_000;

export async function checkTokenService({ tokenService }: Config): Promise<Check> {
  if (!tokenService) return passed('token service', 'embedded');
  const { createRemoteTokenService } = await import('../../tokens/remote.ts');
  try {
    const remote = createRemoteTokenService({
      ...tokenService,
      hashToken: (token) => token,
      signSubjectToken: () => Promise.reject(new Error('the doctor issues no tokens')),
    });
    try {
      await withinLimit(remote.ping(), LIMIT_MS);
      if (!(await remote.listsTokenExchange())) {
        return warned(
          'token service',
          `${tokenService.url} responds, but its metadata does not list the token-exchange grant (RFC 8693)`,
          'Allow the client INNKEEPER_TOKEN_SERVICE_CLIENT_ID to use that grant: without it, every exchange gets 0002.',
        );
      }
    } finally {
      await remote.close();
    }
    return passed('token service', `${tokenService.url} responds`);
  } catch (error) {
    return failed(
      'token service',
      `${tokenService.url}: ${messageOf(error)}`,
      'Check INNKEEPER_TOKEN_SERVICE_URL (the issuer address of an OAuth 2.0 server) and that the server is running.',
    );
  }
}

/** Skipped without an OpenID provider: people sign in with passwords. */
export async function checkOidc({ oidc }: Config): Promise<Check[]> {
  if (!oidc) return [];
  const { createIdentityProvider } = await import('../../tokens/remote/identity-provider.ts');
  const provider = createIdentityProvider({ ...oidc, timeoutMs: LIMIT_MS });
  try {
    // What a sign-in would do first: discovery, and comparing the issuer with the configured one.
    await provider.begin('http://localhost/');
    return [passed('OpenID', `${oidc.issuer} responds, and its issuer matches`)];
  } catch (error) {
    if (!(error instanceof IdentityProblem)) throw error;
    const named = error.kind === 'refused' ? await namedIssuer(oidc.issuer) : undefined;
    if (named !== undefined && named !== oidc.issuer) {
      return [
        failed('OpenID', `${oidc.issuer} reports another issuer: ${named}`, `Set INNKEEPER_OIDC_ISSUER to ${named}`),
      ];
    }
    return [
      failed(
        'OpenID',
        error.kind === 'unreachable' ? `${oidc.issuer} cannot be reached` : `${oidc.issuer}: ${error.message}`,
        'Check INNKEEPER_OIDC_ISSUER: the issuer exactly as the provider shows it, without /.well-known/openid-configuration, ' +
          'which must be reachable from this machine.',
      ),
    ];
  } finally {
    provider.close();
  }
}

/** The issuer in the discovery document; undefined if that cannot be read. */
async function namedIssuer(issuer: string): Promise<string | undefined> {
  try {
    const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const response = await fetch(url, { signal: AbortSignal.timeout(LIMIT_MS), redirect: 'error' });
    const { issuer: named } = (await response.json()) as { issuer?: unknown };
    return typeof named === 'string' && /^https?:\/\/[\x21-\x7e]{1,500}$/.test(named) ? named : undefined;
  } catch {
    return undefined;
  }
}

/** Skipped without a mail server: links are shown for copying. */
export async function checkMail({ mail }: Config): Promise<Check[]> {
  if (!mail) return [];
  const { tryToConnect } = await import('../../mail/smtp-mailer.ts');
  const server = `${mail.host}:${mail.port}`;
  try {
    await tryToConnect(mail, LIMIT_MS);
    return [passed('mail', `${server} accepts mail`)];
  } catch (error) {
    return [
      failed(
        'mail',
        `${server}: ${messageOf(error)}`,
        'Check host, port, user and password in INNKEEPER_SMTP_URL, and that the mail server is running.',
      ),
    ];
  }
}
