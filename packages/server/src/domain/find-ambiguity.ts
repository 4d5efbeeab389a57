/** Deeper than any valid body; protects recursive code from a stack overflow. */
const MAX_DEPTH = 32;

/**
 * Finds what JSON.parse accepts but two readers could understand differently: a repeated member, `__proto__`, or
 * nesting deeper than MAX_DEPTH. `text` must be valid JSON.
 */
export function findAmbiguity(text: string): string | undefined {
  // Most objects have few members: a Set for each would cost more than everything else.
  const names: (string[] | Set<string> | undefined)[] = [];
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x7b: // {
      case 0x5b: // [
        if (++depth > MAX_DEPTH) return `it is nested deeper than ${MAX_DEPTH} levels`;
        names[depth] = text.charCodeAt(at) === 0x7b ? NONE : undefined;
        break;
      case 0x7d: // }
      case 0x5d: // ]
        depth--;
        break;
      case 0x22: {
        const end = endOfString(text, at);
        const known = names[depth];
        if (known && isName(text, end)) {
          const raw = text.slice(at, end + 1);
          const name: string = raw.includes('\\') ? JSON.parse(raw) : raw.slice(1, -1);
          if (name === '__proto__') return 'it has a member named __proto__';
          const isKnown = known instanceof Set ? known.has(name) : known.includes(name);
          if (isKnown) return `it contains the member ${JSON.stringify(name.slice(0, 64))} twice`;
          names[depth] = withName(known, name);
        }
        at = end;
      }
    }
  }
  return undefined;
}

/** Up to this many names, comparing one by one is faster. */
const FEW = 8;
const NONE: string[] = [];

function withName(known: string[] | Set<string>, name: string): string[] | Set<string> {
  if (known === NONE) return [name];
  if (known instanceof Set) return known.add(name);
  if (known.push(name) <= FEW) return known;
  return new Set(known);
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; at++) {
    const char = text.charCodeAt(at);
    if (char === 0x5c) at++;
    else if (char === 0x22) return at;
  }
}

/** In valid JSON, only a member's name is followed by a colon. */
function isName(text: string, end: number): boolean {
  let at = end + 1;
  while (' \t\n\r'.includes(text.charAt(at)) && at < text.length) at++;
  return text.charCodeAt(at) === 0x3a;
}
