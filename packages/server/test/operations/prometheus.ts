import { expect } from 'vitest';

export type Sample = { name: string; labels: Record<string, string>; value: number };

const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/y;

/** Parses Prometheus' text format 0.0.4; throws if the text is invalid. */
export function readPrometheus(text: string): Sample[] {
  expect(text.endsWith('\n')).toBe(true);
  const types = new Map<string, string>();
  const samples: Sample[] = [];
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('# HELP ')) continue;
    const type = /^# TYPE ([a-zA-Z_:][\w:]*) (counter|gauge|histogram|summary|untyped)$/.exec(line);
    if (type) {
      expect(types.has(type[1] as string), `${type[1]} is described twice`).toBe(false);
      types.set(type[1] as string, type[2] as string);
      continue;
    }
    const sample = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (-?[\d.]+(?:e[+-]?\d+)?|NaN|[+-]Inf)$/.exec(line);
    expect(sample, `not a sample: ${line}`).not.toBeNull();
    const [, name, labels, value] = sample as unknown as [string, string, string | undefined, string];
    const family = types.has(name) ? name : name.replace(/_(bucket|sum|count)$/, '');
    expect(types.has(family), `no type for ${line}`).toBe(true);
    samples.push({ name, labels: readLabels(labels ?? ''), value: Number(value.replace('Inf', 'Infinity')) });
  }
  const identities = samples.map(({ name, labels }) => JSON.stringify([name, labels]));
  expect(new Set(identities).size, 'a sample is a duplicate').toBe(samples.length);
  return samples;
}

function readLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < text.length) {
    const match = LABEL.exec(text);
    expect(match, `not labels: ${text}`).not.toBeNull();
    const [, name, value] = match as unknown as [string, string, string];
    labels[name] = value;
  }
  return labels;
}
