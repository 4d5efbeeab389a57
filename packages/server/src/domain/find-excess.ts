/** More than any catalog has: one of 5,000 keys in twenty languages has half as many. */
const MAX_MEMBERS = 1_000_000;
const MAX_IN_ONE = 10_000;
/** Objects and lists, unless the caller expects fewer. */
const MAX_CONTAINERS = 250_000;

/** What there is too much of in a text, and where. */
export type Excess = { message: string; offset: number };

/**
 * Finds what would cost a JSON parser, and code that walks the value, more than the text's length suggests. Looks at
 * each character once, before anything is allocated; the text need not be valid JSON.
 */
export function findExcess(text: string, maxDepth: number, maxContainers = MAX_CONTAINERS): Excess | undefined {
  const membersOf = new Int32Array(maxDepth + 1);
  let [depth, containers, members] = [0, 0, 0];
  for (let offset = 0; offset < text.length; offset++) {
    switch (text.charCodeAt(offset)) {
      case 0x22: // "
        offset = endOfString(text, offset);
        break;
      case 0x7b: // {
      case 0x5b: // [
        if (++depth > maxDepth) return { message: `is nested deeper than ${maxDepth} levels`, offset };
        if (++containers > maxContainers)
          return { message: `contains more than ${maxContainers} objects and lists`, offset };
        membersOf[depth] = 0;
        break;
      case 0x7d: // }
      case 0x5d: // ]
        if (depth > 0) depth--;
        break;
      case 0x3a: // :
        if (++members > MAX_MEMBERS) return { message: `contains more than ${MAX_MEMBERS} members`, offset };
        membersOf[depth] = (membersOf[depth] as number) + 1;
        if ((membersOf[depth] as number) > MAX_IN_ONE)
          return { message: `has an object of more than ${MAX_IN_ONE} members`, offset };
    }
  }
  return undefined;
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === 0x5c) at++;
    else if (char === 0x22) return at;
  }
  return text.length;
}
