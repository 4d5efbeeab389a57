/**
 * First and last address as numbers. IPv4 addresses are mapped into IPv6 (::ffff:0:0/96), so both compare the same way.
 */
export type AddressRange = { first: bigint; last: bigint };

/** The range of a single address or of a network in CIDR notation. */
export function rangeOf(network: string): AddressRange {
  const [address = '', bits] = network.split('/');
  const longest = address.includes(':') ? 128 : 32;
  const size = 1n << BigInt(longest - Number(bits ?? longest));
  const first = (addressNumber(address) / size) * size;
  return { first, last: first + size - 1n };
}

export function isWithin(number: bigint, ranges: readonly AddressRange[]): boolean {
  return ranges.some(({ first, last }) => first <= number && number <= last);
}

export function addressNumber(address: string): bigint {
  // The URL parser normalizes every notation to hexadecimal groups with the longest run of zeros omitted.
  const { hostname } = new URL(`http://[${address.includes(':') ? address : `::ffff:${address}`}]`);
  const [head = '', tail] = hostname.slice(1, -1).split('::');
  const [before, after] = [head, tail ?? ''].map((part) => (part === '' ? [] : part.split(':'))) as [
    string[],
    string[],
  ];
  const zeros = Array<string>(8 - before.length - after.length).fill('0');
  return [...before, ...zeros, ...after].reduce((number, group) => number * 65_536n + BigInt(`0x${group}`), 0n);
}

/** For the host name of a URL or a setting. */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' || hostname === '[::1]' || hostname === '::1' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
  );
}

/** The addresses that Internet clients can have. */
export const PUBLIC_ADDRESSES: readonly AddressRange[] = [
  { first: addressNumber('1.0.0.0'), last: addressNumber('223.255.255.255') },
  rangeOf('2000::/3'),
];

/** Whether these addresses and CIDR ranges together cover every public IPv4 address, or every public IPv6 address. */
export function trustsEveryone(networks: readonly string[]): boolean {
  const joined = join(networks.map(rangeOf));
  return PUBLIC_ADDRESSES.some((all) => joined.some(({ first, last }) => first <= all.first && last >= all.last));
}

function join(ranges: readonly AddressRange[]): AddressRange[] {
  const joined: AddressRange[] = [];
  for (const { first, last } of ranges.toSorted((one, other) => (one.first < other.first ? -1 : 1))) {
    const before = joined.at(-1);
    if (before && first <= before.last + 1n) before.last = last > before.last ? last : before.last;
    else joined.push({ first, last });
  }
  return joined;
}
