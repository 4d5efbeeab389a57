import { connect } from 'node:tls';
import { messageOf } from '../../caught.ts';
import type { Config } from '../../config.ts';
import { counted } from '../time.ts';
import { type Check, failed, passed, warned, withinLimit } from './check.ts';

const LIMIT_MS = 3_000;
const DAY_MS = 86_400_000;
/** Automatic renewals happen earlier. */
const SOON_DAYS = 14;
const RENEW = 'Renew it where TLS ends, usually at the proxy, and reload the proxy.';

type Seen = { validTo: number; problem: string | undefined };

/** Checks the certificate of the public address, if that is https. */
export async function checkCertificate({ publicUrl }: Config): Promise<Check[]> {
  if (!publicUrl.startsWith('https:')) return [];
  const { hostname, port } = new URL(publicUrl);
  const host = hostname.replace(/^\[|\]$/g, '');
  try {
    return [judgeCertificate(publicUrl, await withinLimit(see(host, Number(port || 443)), LIMIT_MS), Date.now())];
  } catch (error) {
    const detail = `${publicUrl} cannot be reached from here: ${messageOf(error)}`;
    return [warned('certificate', detail, 'Fine if this machine may not connect to it. Check it from elsewhere.')];
  }
}

export function judgeCertificate(publicUrl: string, { validTo, problem }: Seen, now: number): Check {
  const days = Math.floor((validTo - now) / DAY_MS);
  if (days < 0) return failed('certificate', `of ${publicUrl} has expired`, RENEW);
  if (problem !== undefined) {
    const detail = `of ${publicUrl} is not trusted on this machine: ${problem}`;
    return warned('certificate', detail, 'Clients need the same root certificates, or refuse it.');
  }
  const detail = `of ${publicUrl}, valid for ${counted(days, 'more day')}`;
  return days < SOON_DAYS ? warned('certificate', detail, RENEW) : passed('certificate', detail);
}

/** Untrusted and expired certificates are inspected too. */
function see(host: string, port: number): Promise<Seen> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port,
      rejectUnauthorized: false,
      ...(!/^[\d.]+$|:/.test(host) && { servername: host }),
    });
    socket.setTimeout(LIMIT_MS, () => socket.destroy(new Error('no response')));
    socket.once('error', reject);
    socket.once('secureConnect', () => {
      const problem = socket.authorized ? undefined : String(socket.authorizationError);
      resolve({ validTo: Date.parse(socket.getPeerCertificate().valid_to), problem });
      socket.destroy();
    });
  });
}
