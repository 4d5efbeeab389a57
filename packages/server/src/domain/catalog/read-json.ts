import { isKeptExactly } from './exact-decimal.ts';
import { createPlaces, MAX_PROBLEMS, type PlacedProblem, type ReadSource, type Spot, showPath } from './source.ts';

type Path = (string | number)[];

const MAX_DEPTH = 64;

/** JSON, whose parser knows no places and says nothing of names given twice and digits lost: looked for afterwards. */
export function readJson(text: string): ReadSource {
  const place = createPlaces(text);
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    const { message } = error as Error;
    const [, offset] = /at position (\d+)/.exec(message) ?? [];
    const what = message.replace(/ in JSON at position.*/, '').replace(/^[A-Z]/, (letter) => letter.toLowerCase());
    return { problems: [{ ...place(offset === undefined ? text.length : Number(offset)), path: '', message: what }] };
  }

  const problems: PlacedProblem[] = [];
  const report = (offset: number, path: Path, message: string): boolean => {
    problems.push({ ...place(offset), path: showPath(path), message });
    return problems.length < MAX_PROBLEMS;
  };
  walk(text, {
    name: (path, offset, isRepeated) => !isRepeated || report(offset, path, 'is there twice'),
    value(path, offset, token) {
      if (path.length > MAX_DEPTH) {
        report(offset, [], 'is nested too deeply');
        return false;
      }
      if (!/^[-\d]/.test(token) || isKeptExactly(token)) return true;
      return report(offset, path, `cannot be kept exactly: ${token} would become ${Number(token)}`);
    },
  });
  if (problems.length > 0) return { problems };
  return { source: { data, locate: (spots) => findAll(text, spots).map(place) } };
}

/** What is told of each name and value in a text, in order; `false` ends the walk. */
type Visitor = {
  name(path: Path, offset: number, isRepeated: boolean): boolean;
  value(path: Path, offset: number, token: string): boolean;
};

/** What a text is inside of: an object, with the names it has so far, or an array. */
type Frame = { names: Set<string> | undefined };

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/gs;

/** Goes through a text that is known to be JSON. */
function walk(text: string, visitor: Visitor): void {
  const frames: Frame[] = [];
  const path: Path = [];
  let isName = false;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const frame = frames.at(-1);
    if (token === ':') {
      isName = false;
    } else if (token === ',') {
      if (frame?.names) isName = true;
      else path[path.length - 1] = (path.at(-1) as number) + 1;
    } else if (token === '}' || token === ']') {
      frames.pop();
      path.pop();
      isName = false;
    } else if (isName && frame?.names) {
      const name = JSON.parse(token) as string;
      path[path.length - 1] = name;
      if (!visitor.name(path, index, frame.names.has(name))) return;
      frame.names.add(name);
    } else {
      if (!visitor.value(path, index, token)) return;
      isName = token === '{';
      if (token !== '{' && token !== '[') continue;
      frames.push({ names: isName ? new Set() : undefined });
      path.push(0);
    }
  }
}

/** The offsets of what some paths lead to, or of the innermost thing on the way that is there. In one walk for all. */
function findAll(text: string, spots: readonly Spot[]): number[] {
  const offsets = new Map<string, number | undefined>();
  for (const { path } of spots) {
    for (let length = 0; length <= path.length; length += 1) offsets.set(path.slice(0, length).join('\0'), undefined);
  }
  const names = new Map<string, number>();
  walk(text, {
    name(path, offset) {
      const spot = path.join('\0');
      if (offsets.has(spot)) names.set(spot, offset);
      return true;
    },
    value(path, offset) {
      const spot = path.join('\0');
      if (offsets.has(spot)) offsets.set(spot, offset);
      return true;
    },
  });
  return spots.map(({ path, atName }) => {
    for (let length = path.length; length >= 0; length -= 1) {
      const spot = path.slice(0, length).join('\0');
      const offset = (atName && length === path.length ? names.get(spot) : undefined) ?? offsets.get(spot);
      if (offset !== undefined) return offset;
    }
    return 0;
  });
}
