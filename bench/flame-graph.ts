import { escapeXml } from './plot.ts';

/** A CPU profile as V8 writes it (`--cpu-prof`). Times are in microseconds of the machine's monotonic clock. */
export type CpuProfile = {
  nodes: {
    id: number;
    callFrame: { functionName: string; url: string; lineNumber: number };
    children?: number[];
  }[];
  startTime: number;
  samples: number[];
  timeDeltas: number[];
};

/** A function, with the samples in it and in its callees. */
export type Frame = { label: string; place: string; self: number; total: number; children: Map<string, Frame> };

const WIDTH = 1400;
const ROW = 17;
/** Narrower frames are omitted. */
const MIN_PIXELS = 0.4;
const PIXELS_PER_CHARACTER = 6.2;
/** Not work: the thread waited, or the profiler itself ran. */
const NO_WORK = ['(idle)', '(program)'];

/** The calls of a profile between two times, as a tree. */
export function toFrames({ nodes, startTime, samples, timeDeltas }: CpuProfile, from: number, to: number): Frame {
  const parents = new Map(nodes.flatMap(({ id, children }) => (children ?? []).map((child) => [child, id])));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const frames = new Map<number, Frame>();
  const root = newFrame('all', '');
  const frameOf = (id: number): Frame => {
    const known = frames.get(id);
    if (known) return known;
    const parentId = parents.get(id);
    const parent = parentId === undefined ? undefined : frameOf(parentId);
    const { functionName, url, lineNumber } = byId.get(id)?.callFrame ?? { functionName: '?', url: '', lineNumber: 0 };
    const place = url && `${url.replace(/^.*\/(node_modules|packages)\//, '$1/')}:${lineNumber + 1}`;
    const label = functionName || `(anonymous ${place.slice(place.lastIndexOf('/') + 1)})`;
    const siblings = parent?.children;
    const frame = parent ? (siblings?.get(label + place) ?? newFrame(label, place)) : root;
    siblings?.set(label + place, frame);
    frames.set(id, frame);
    return frame;
  };
  let at = startTime;
  for (const [index, id] of samples.entries()) {
    at += timeDeltas[index] ?? 0;
    if (at < from || at > to || NO_WORK.includes(byId.get(id)?.callFrame.functionName ?? '')) continue;
    frameOf(id).self++;
    for (let current: number | undefined = id; current !== undefined; current = parents.get(current)) {
      frameOf(current).total++;
    }
  }
  return root;
}

/** The functions with the most time of their own, highest first. */
export function hottest(root: Frame, count: number): { label: string; place: string; share: number }[] {
  const selves = new Map<string, { label: string; place: string; self: number }>();
  const visit = ({ label, place, self, children }: Frame): void => {
    const sum = selves.get(label + place) ?? { label, place, self: 0 };
    sum.self += self;
    selves.set(label + place, sum);
    for (const child of children.values()) visit(child);
  };
  visit(root);
  return Array.from(selves.values())
    .toSorted((a, b) => b.self - a.self)
    .slice(0, count)
    .map(({ label, place, self }) => ({ label, place, share: self / root.total }));
}

/** Callers below, callees above; the width is the share of the time. Hovering shows the source location. */
export function drawFlameGraph(root: Frame, title: string): string {
  const depth = depthOf(root);
  const height = (depth + 2) * ROW;
  const boxes: string[] = [];
  const draw = (frame: Frame, x: number, level: number): void => {
    const width = (frame.total / root.total) * WIDTH;
    if (width < MIN_PIXELS) return;
    const y = height - (level + 1) * ROW;
    const share = ((frame.total / root.total) * 100).toFixed(1);
    const letters = Math.floor(width / PIXELS_PER_CHARACTER);
    const text = letters > 2 ? escapeXml(frame.label.slice(0, letters)) : '';
    boxes.push(
      `<g><title>${escapeXml(`${frame.label} ${frame.place}`)}: ${share} %</title>` +
        `<rect x="${x.toFixed(1)}" y="${y}" width="${width.toFixed(1)}" height="${ROW - 1}" fill="${colour(frame.place)}"/>` +
        `<text x="${(x + 3).toFixed(1)}" y="${y + 12}">${text}</text></g>`,
    );
    let left = x;
    for (const child of frame.children.values()) {
      draw(child, left, level + 1);
      left += (child.total / root.total) * WIDTH;
    }
  };
  draw(root, 0, 0);
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="monospace" font-size="10.5">` +
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/><text x="6" y="13">${escapeXml(title)}</text>\n${boxes.join('\n')}\n</svg>\n`
  );
}

function newFrame(label: string, place: string): Frame {
  return { label, place, self: 0, total: 0, children: new Map() };
}

function depthOf({ children }: Frame): number {
  return 1 + Math.max(0, ...Array.from(children.values(), depthOf));
}

/** Our own code orange, packages blue, Node green, V8 grey. */
function colour(place: string): string {
  if (place.startsWith('packages/')) return '#f4a259';
  if (place.startsWith('node_modules/')) return '#8fb8de';
  return place.startsWith('node:') ? '#a3c9a8' : '#d0d0d0';
}
