import { isIP } from 'node:net';

/** First and last address, as numbers. IPv4 is where IPv6 maps it, ::ffff:0:0/96, so that both are compared alike. */
type Range = { first: bigint; last: bigint };

/** The addresses that clients on the Internet can have. */
const PUBLIC: readonly Range[] = [
  { first: toNumber('1.0.0.0'), last: toNumber('223.255.255.255') },
  rangeOf('2000::/3'),
];

/** Whether these addresses and CIDR ranges together cover every public IPv4 address, or every public IPv6 address. */
export function trustsEveryone(networks: readonly string[]): boolean {
  const joined = join(networks.map(rangeOf));
  return PUBLIC.some((all) => joined.some(({ first, last }) => first <= all.first && last >= all.last));
}

function join(ranges: readonly Range[]): Range[] {
  const joined: Range[] = [];
  for (const { first, last } of ranges.toSorted((one, other) => (one.first < other.first ? -1 : 1))) {
    const before = joined.at(-1);
    if (before && first <= before.last + 1n) before.last = last > before.last ? last : before.last;
    else joined.push({ first, last });
  }
  return joined;
}

function rangeOf(network: string): Range {
  const [address = '', bits] = network.split('/');
  const longest = isIP(address) === 4 ? 32 : 128;
  const size = 1n << BigInt(longest - Number(bits ?? longest));
  const first = (toNumber(address) / size) * size;
  return { first, last: first + size - 1n };
}

function toNumber(address: string): bigint {
  // The parser of URLs writes every form in hexadecimal groups, with the longest run of zeros left out.
  const { hostname } = new URL(`http://[${isIP(address) === 4 ? `::ffff:${address}` : address}]`);
  const [head = '', tail] = hostname.slice(1, -1).split('::');
  const [before, after] = [head, tail ?? ''].map((part) => (part === '' ? [] : part.split(':'))) as [
    string[],
    string[],
  ];
  const zeros = Array<string>(8 - before.length - after.length).fill('0');
  return [...before, ...zeros, ...after].reduce((number, group) => number * 65_536n + BigInt(`0x${group}`), 0n);
}
