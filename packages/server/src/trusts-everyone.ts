import { type AddressRange, addressNumber, rangeOf } from './address-range.ts';

/** The addresses that Internet clients can have. */
const PUBLIC: readonly AddressRange[] = [
  { first: addressNumber('1.0.0.0'), last: addressNumber('223.255.255.255') },
  rangeOf('2000::/3'),
];

/** Whether these addresses and CIDR ranges together cover every public IPv4 address, or every public IPv6 address. */
export function trustsEveryone(networks: readonly string[]): boolean {
  const joined = join(networks.map(rangeOf));
  return PUBLIC.some((all) => joined.some(({ first, last }) => first <= all.first && last >= all.last));
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
