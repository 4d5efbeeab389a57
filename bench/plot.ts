import { type Bar, bars, judge } from './bars.ts';
import type { Results } from './results.ts';

/** The bars as a picture: how far each was reached, on a scale where 1 is the bar itself. */
const WIDTH = 930;
const LEFT = 300;
const ROW = 22;
const TOP = 46;
/** The position of the bar, and the right edge. */
const BAR_AT = 300;
const MAX = 1.9;
const COLOURS = { stretch: '#2e7d4f', held: '#6aa84f', missed: '#cc6b49', 'not measured': '#bbbbbb' };

export function drawPlot(results: Results): string {
  const measured = bars.flatMap((bar) => {
    const judged = judge(bar, results);
    return judged.measured ? [{ bar, verdict: judged.verdict, ...judged.measured }] : [];
  });
  const height = TOP + measured.length * ROW + 12;
  const lines = measured.map(({ bar, verdict, median, least, most }, index) => {
    const y = TOP + index * ROW;
    const [from, to] = [reach(bar, least), reach(bar, most)].toSorted((a, b) => a - b) as [number, number];
    const end = reach(bar, median);
    const stretch = bar.stretch === undefined ? '' : mark(LEFT + reach(bar, bar.stretch), y, '#2e7d4f');
    return (
      `<text x="${LEFT - 8}" y="${y + 14}" text-anchor="end">${escapeXml(bar.what)}</text>` +
      `<rect x="${LEFT}" y="${y + 3}" width="${end.toFixed(1)}" height="${ROW - 7}" rx="2" fill="${COLOURS[verdict]}"/>` +
      `<path d="M${(LEFT + from).toFixed(1)} ${y + 10.5}H${(LEFT + to).toFixed(1)}" stroke="#222"/>${stretch}` +
      `<text x="${(LEFT + Math.max(end, to) + 6).toFixed(1)}" y="${y + 14}">${show(median)}</text>`
    );
  });
  const x = LEFT + BAR_AT;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="12">`,
    `<title>How far each bar of the benchmark was reached</title><rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
    `<text x="8" y="16">${escapeXml(`${results.date}, ${results.machine}, load average before ${results.loadBefore.toFixed(1)}`)}</text>`,
    `<text x="${x}" y="36" text-anchor="middle">the bar</text><text x="${x + 60}" y="36" fill="#2e7d4f">| the stretch</text><path d="M${x} ${TOP - 4}V${height - 8}" stroke="#222" stroke-dasharray="4 3"/>`,
    ...lines,
    '</svg>\n',
  ].join('\n');
}

/** How far it got, in pixels: the bar is always at the same position, whether higher or lower is better. */
function reach({ bar, atMost }: Bar, value: number): number {
  return Math.min(MAX, atMost ? bar / value : value / bar) * BAR_AT;
}

function mark(x: number, y: number, colour: string): string {
  return `<path d="M${x.toFixed(1)} ${y + 1}V${y + ROW - 2}" stroke="${colour}" stroke-width="2"/>`;
}

function show(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: value >= 20 ? 0 : 2 });
}

export function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
