/** Catalogs of the maximum size, each large in a different way. */
export const LARGE_CATALOGS: Record<string, object> = {
  groups: { languages: languages(1), groups: list(9_000, (at) => ({ name: `g${at}` })) },
  keys: {
    languages: languages(1),
    groups: list(20, (at) => ({ name: `g${at}`, keys: list(1_000, (no) => ({ name: `k${no}`, type: 'string' })) })),
  },
  texts: {
    languages: languages(20),
    groups: list(20, (at) => ({
      name: `g${at}`,
      keys: list(60, (no) => ({
        ...{ name: `k${no}`, type: 'string', translations: texts(20, `Key ${at} ${no}`) },
        values: list(12, (value) => ({ value: `v${value}`, translations: texts(20, `Value ${value}`) })),
      })),
    })),
  },
};

function list<T>(length: number, make: (at: number) => T): T[] {
  return Array.from({ length }, (_, at) => make(at));
}

function tagAt(at: number): string {
  return `x${String.fromCharCode(97 + Math.floor(at / 26), 97 + (at % 26))}`;
}

function languages(count: number): object[] {
  return list(count, (at) => ({ name: `Language ${at}`, tag: tagAt(at) }));
}

function texts(count: number, text: string): Record<string, string> {
  return Object.fromEntries(list(count, (at) => [tagAt(at), `${text} in ${tagAt(at)}`]));
}
