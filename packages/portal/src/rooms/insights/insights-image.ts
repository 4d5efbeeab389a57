import type { Insights } from './queries.ts';

type Words = { title: string; subtitle: string; language: string; showValue(value: unknown): string };

const WIDTH = 800;
const MARGIN = 24;
/** Where the bars begin, and the length of 100 %. */
const BAR = { left: 240, width: 380 };
const ROW = 34;
const HEAD = 104;
/** More would be unreadable. */
const MAX_VALUES = 30;
const MAX_LABEL = 30;

/** The current selections as a picture for slides and documents: bars on a scale from 0 to 100 %. */
export function drawInsights({ values, chose }: Insights, { title, subtitle, language, showValue }: Words): string {
  const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 });
  const number = new Intl.NumberFormat(language);
  const shown = values.slice(0, MAX_VALUES);
  const height = HEAD + shown.length * ROW + MARGIN;
  const bottom = height - MARGIN;
  const scale = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const x = BAR.left + share * BAR.width;
    return `<line x1="${x}" y1="${HEAD - 6}" x2="${x}" y2="${bottom}" stroke="#dee2e6"/>
<text x="${x}" y="${HEAD - 14}" text-anchor="middle" fill="#495057" font-size="12">${escapeXml(percent.format(share))}</text>`;
  });
  const rows = shown.map(({ value, count }, place) => {
    const y = HEAD + place * ROW;
    const share = chose === 0 ? 0 : count / chose;
    return `<text x="${BAR.left - 12}" y="${y + 19}" text-anchor="end">${escapeXml(shorten(showValue(value)))}</text>
<rect x="${BAR.left}" y="${y + 4}" width="${Math.round(share * BAR.width * 100) / 100}" height="20" rx="3" fill="#0b7285"/>
<text x="${BAR.left + BAR.width + 12}" y="${y + 19}">${escapeXml(`${percent.format(share)} (${number.format(count)})`)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="14" fill="#212529">
<rect width="100%" height="100%" fill="#ffffff"/>
<text x="${MARGIN}" y="36" font-size="20" font-weight="600">${escapeXml(shorten(title, 70))}</text>
<text x="${MARGIN}" y="60" fill="#495057">${escapeXml(shorten(subtitle, 100))}</text>
${[...scale, ...rows].join('\n')}
</svg>
`;
}

function shorten(text: string, longest = MAX_LABEL): string {
  const characters = [...text];
  return characters.length > longest ? `${characters.slice(0, longest - 1).join('')}…` : text;
}

const NAMES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escapeXml(text: string): string {
  // Control characters are not allowed in XML at all.
  return text.replaceAll(/[\p{Cc}\p{Cs}]/gu, ' ').replaceAll(/[&<>"]/g, (character) => NAMES[character] ?? '');
}
