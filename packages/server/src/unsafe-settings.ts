import { existsSync, statSync } from 'node:fs';
import { deflateRawSync } from 'node:zlib';
import { isLoopback, trustsEveryone } from './addresses.ts';
import type { Config } from './config.ts';
import { findSecretProblem, previousSecretPath, secretPath } from './secret-file.ts';

/**
 * Settings that are unsafe in production, each with a suggested fix. `innkeeper serve` refuses to start with any of
 * them.
 */
export function unsafeSettings(config: Config): string[] {
  const problems: string[] = [];
  const isWeak = isWeakSecret(config.secret);
  const isOfFile = config.secret === '' || config.secretFile !== undefined;
  const fileProblem = isWeak && isOfFile ? findSecretProblem(config) : undefined;
  if (fileProblem !== undefined) problems.push(fileProblem);
  // Without a secret, a strong one is created along with the database.
  else if (config.secret !== '' && isWeak) {
    problems.push(
      'INNKEEPER_SECRET is weak: it needs at least 32 random characters. Create one with: openssl rand -base64 48',
    );
  }
  const isPlain = config.publicUrl.startsWith('http:');
  if (isPlain && !isLoopback(new URL(config.publicUrl).hostname)) {
    problems.push(
      `INNKEEPER_PUBLIC_URL is ${config.publicUrl}: tokens and secrets would be sent unencrypted. Use an https URL; a proxy can terminate TLS.`,
    );
  } else if (isPlain && !isLoopback(config.host) && config.trustedProxies.length === 0) {
    problems.push(
      `INNKEEPER_HOST is ${config.host}: other machines could connect without TLS. Listen on 127.0.0.1, set INNKEEPER_PUBLIC_URL to the https URL of your proxy, or list the proxy in INNKEEPER_TRUSTED_PROXIES.`,
    );
  }
  if (config.tokenService) {
    if (config.tokenService.url.startsWith('http:') && !isLoopback(new URL(config.tokenService.url).hostname)) {
      problems.push('INNKEEPER_TOKEN_SERVICE_URL is not https: tokens would be sent unencrypted. Use an https URL.');
    }
    if (!config.tokenService.clientId || !config.tokenService.clientSecret) {
      problems.push(
        'INNKEEPER_TOKEN_SERVICE_URL is set, but INNKEEPER_TOKEN_SERVICE_CLIENT_ID or _CLIENT_SECRET is not. Set both.',
      );
    }
  }
  const file = secretPath(config);
  for (const path of file === undefined ? [] : [file, previousSecretPath(file)]) {
    if (process.platform !== 'win32' && existsSync(path) && (statSync(path).mode & 0o077) !== 0)
      problems.push(`${path} can be read by other users of this machine. Run: chmod 600 ${path}`);
  }
  if (config.metricsToken !== undefined && (config.metricsToken.length < 16 || new Set(config.metricsToken).size < 6)) {
    problems.push(
      'INNKEEPER_METRICS_TOKEN is weak: it needs at least 16 random characters. Create one with: openssl rand -hex 24',
    );
  }
  if (trustsEveryone(config.trustedProxies)) {
    problems.push(
      'INNKEEPER_TRUSTED_PROXIES trusts everyone: any client could claim another address. List only your proxies.',
    );
  }
  return problems;
}

export function isWeakSecret(secret: string): boolean {
  // Repeated text compresses well, and sequences advance in equal steps; key material does neither.
  const steps = new Set([...secret].slice(1).map((char, index) => char.charCodeAt(0) - secret.charCodeAt(index)));
  return secret.length < 32 || new Set(secret).size < 10 || steps.size < 8 || deflateRawSync(secret).length < 28;
}
