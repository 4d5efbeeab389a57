import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import proxyAddr from '@fastify/proxy-addr';
import { isLoopback } from '../config.ts';
import type { Asked } from './asked.ts';

/** Whose request it is: the peer of the connection, or whom a trusted proxy names (INNKEEPER_TRUSTED_PROXIES). */
export function clientAddress({ ip, socket }: Pick<Asked, 'ip' | 'socket'>): string {
  const named = plainAddress(ip ?? '');
  return isIP(named) ? named : plainAddress(socket.remoteAddress ?? '');
}

/** The same before the framework has looked at a request. */
export function peerAddress(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  if (trustedProxies.length === 0) return ({ socket }) => plainAddress(socket.remoteAddress ?? '');
  const trust = proxyAddr.compile([...trustedProxies]);
  return (request) => {
    const named = plainAddress(proxyAddr(request, trust));
    return isIP(named) ? named : plainAddress(request.socket.remoteAddress ?? '');
  };
}

/** Connections to an address of this machine from this machine have that address at both ends. */
export function isOwnAddress(address: string): boolean {
  if (isLoopback(address)) return true;
  return Object.values(networkInterfaces()).some((own) => own?.some((each) => each.address === address));
}

/** Where one subscriber has a whole network of addresses, it counts as one: RFC 6177 gives each a /64 or more. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  const after = tail ? tail.split(':').length : 0;
  if (tail !== undefined) groups.push(...Array.from({ length: Math.max(0, 8 - groups.length - after) }, () => '0'));
  if (tail) groups.push(...tail.split(':'));
  const network = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(':')}::/64`;
}

/** IPv4 as IPv4, and without the name of an interface. */
export function plainAddress(address: string): string {
  if (!address.includes(':')) return address;
  return address.replace(/^::ffff:(?=\d+\.)/, '').split('%', 1)[0] as string;
}
