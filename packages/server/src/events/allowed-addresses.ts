import { type AddressRange, addressNumber, isWithin, rangeOf } from '../address-range.ts';

const PUBLIC: readonly AddressRange[] = [
  { first: addressNumber('1.0.0.0'), last: addressNumber('223.255.255.255') },
  rangeOf('2000::/3'),
];

/** Within those, IANA's special-purpose addresses: private, local, for documentation, for protocols. */
const SPECIAL: readonly AddressRange[] = [
  ...['10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24'],
  ...['192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24', '192.168.0.0/16', '192.175.48.0/24', '198.18.0.0/15'],
  ...['198.51.100.0/24', '203.0.113.0/24', '168.63.129.16/32', '2001::/23', '2001:db8::/32', '2620:4f:8000::/48'],
  '3fff::/20',
].map(rangeOf);

/** IPv6 ranges that embed an IPv4 address, and its position. */
const EMBEDDING = [
  { range: rangeOf('64:ff9b::/96'), shift: 0n },
  { range: rangeOf('2002::/16'), shift: 80n },
];
const MAPPED = addressNumber('0.0.0.0');

export type AllowedAddresses = {
  /** Whether to connect to an address that is in a URL or that a name resolved to. */
  allows(address: string, protocol: string): boolean;
};

/** Public addresses over https, and the operator's networks over http as well. */
export function allowedAddresses(networks: readonly string[]): AllowedAddresses {
  const own = networks.map(rangeOf);
  return {
    allows(address, protocol) {
      const number = resolveEmbedded(addressNumber(address.split('%', 1)[0] as string));
      if (isWithin(number, own)) return true;
      return protocol === 'https:' && isWithin(number, PUBLIC) && !isWithin(number, SPECIAL);
    },
  };
}

function resolveEmbedded(number: bigint): bigint {
  const found = EMBEDDING.find(({ range }) => isWithin(number, [range]));
  return found ? MAPPED + ((number >> found.shift) & 0xffff_ffffn) : number;
}
