/** Further ranges are ignored: real headers name a few. */
const MAX_RANGES = 50;

type Range = { type: string; subtype: string; quality: number };

/** Whether Accept ranks a media type higher than another (RFC 9110 12.5.1). */
export function prefersType(accept: string, type: string, other: string): boolean {
  const ranges = accept.split(',', MAX_RANGES).map(readRange);
  return qualityOf(ranges, type) > qualityOf(ranges, other);
}

/** The quality of the most specific range that matches; 0: not acceptable. */
function qualityOf(ranges: readonly Range[], mediaType: string): number {
  const [type, subtype] = mediaType.split('/');
  const find = (wantedType: string | undefined, wantedSubtype: string | undefined) =>
    ranges.find((range) => range.type === wantedType && range.subtype === wantedSubtype);
  return (find(type, subtype) ?? find(type, '*') ?? find('*', '*'))?.quality ?? 0;
}

function readRange(text: string): Range {
  const [range = '', ...parameters] = text.toLowerCase().split(';');
  const [type = '', subtype = ''] = range.trim().split('/');
  const q = parameters.map((parameter) => /^\s*q=([\d.]{1,5})\s*$/.exec(parameter)?.[1]).find(Boolean);
  return { type, subtype, quality: q === undefined ? 1 : Number(q) };
}
