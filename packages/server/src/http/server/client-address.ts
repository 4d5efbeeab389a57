import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { isLoopback } from '../../addresses.ts';

/**
 * Finds the client's address: the peer of the connection, or the address that a trusted proxy names in X-Forwarded-For.
 */
export function createAddressReader(
  trustedProxies: readonly string[],
): (peer: string, headers: IncomingHttpHeaders) => string {
  if (trustedProxies.length === 0) return (peer) => peer;
  const trusted = new BlockList();
  for (const network of trustedProxies) {
    const [address = '', bits] = network.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(bits), family);
  }
  const isTrusted = (address: string): boolean => {
    const family = isIP(address);
    return family !== 0 && trusted.check(address, family === 6 ? 'ipv6' : 'ipv4');
  };
  return (peer, headers) => {
    const forwardedFor = headers['x-forwarded-for'];
    if (typeof forwardedFor !== 'string' || !isTrusted(peer)) return peer;
    // Each proxy appends the address that connected to it: the last untrusted one is the client.
    let client = peer;
    for (const part of forwardedFor.split(',').reverse()) {
      client = plainAddress(part.trim());
      if (!isTrusted(client)) break;
    }
    return isIP(client) ? client : peer;
  };
}

/** A connection from this machine to one of its own addresses has that address at both ends. */
export function isOwnAddress(address: string): boolean {
  if (isLoopback(address)) return true;
  return Object.values(networkInterfaces()).some((own) => own?.some((each) => each.address === address));
}

/** An IPv6 subscriber has a whole network of addresses, a /64 or more (RFC 6177): it counts as one. */
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

/** IPv4 as IPv4, without an interface name; empty if the client has already disconnected. */
export function plainAddress(address: string | undefined): string {
  if (!address?.includes(':')) return address ?? '';
  return address.replace(/^::ffff:(?=\d+\.)/, '').split('%', 1)[0] as string;
}
