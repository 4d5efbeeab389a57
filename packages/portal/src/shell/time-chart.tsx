import { ColorSwatch, Group, Paper, Text } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { type PointerEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './time-chart.module.css';

export type Series = { name: string; label: string; color: string };
/** Two times may have the same label, when clocks go back. */
export type Point = { id: string; at: string; counts: Record<string, number> };

const HEIGHT = 240;
const TOP = 8;
const BOTTOM = 24;
/** Of the small font: an estimate is enough for leaving room. */
const CHARACTER = 7;
const STEPS = 4;

/** Mantine's variable of a colour such as `inn.6`. */
export const colorOf = (color: string): string => `var(--mantine-color-${color.replace('.', '-')})`;

/** Counts over time, as areas in front of each other or as stacked bars. Pointing at it shows the counts of that time. */
export function TimeChart({ as, points, series }: { as: 'areas' | 'bars'; points: Point[]; series: Series[] }) {
  const { i18n } = useTranslation();
  const { ref, width } = useElementSize();
  const [pointed, setPointed] = useState<number>();
  const number = new Intl.NumberFormat(i18n.language);
  const tick = new Intl.NumberFormat(i18n.language, { notation: 'compact', maximumFractionDigits: 1 });
  const count = ({ counts }: Point, { name }: Series) => counts[name] ?? 0;
  const highest = Math.max(
    ...points.map((point) => {
      const counts = series.map((each) => count(point, each));
      return as === 'bars' ? counts.reduce((sum, each) => sum + each, 0) : Math.max(...counts);
    }),
  );
  const step = roundStep(highest / STEPS);
  const most = step * Math.max(1, Math.ceil(highest / step));
  const ticks = Array.from({ length: most / step + 1 }, (_, place) => place * step);
  const left = Math.max(...ticks.map((each) => tick.format(each).length)) * CHARACTER + 10;
  const slot = Math.max(0, width - left) / points.length;
  const bottom = HEIGHT - BOTTOM;
  const x = (place: number) => left + (place + 0.5) * slot;
  const y = (value: number) => bottom - (value / most) * (bottom - TOP);
  const widest = Math.max(...points.map(({ at }) => at.length)) * CHARACTER;
  const every = Math.max(1, Math.ceil((widest + 24) / slot));
  const point = (event: PointerEvent<SVGSVGElement>) => {
    const place = Math.floor((event.clientX - event.currentTarget.getBoundingClientRect().left - left) / slot);
    setPointed(place >= 0 && place < points.length ? place : undefined);
  };
  const shown = pointed === undefined ? undefined : points[pointed];
  return (
    <div ref={ref} className={classes.chart} style={{ height: HEIGHT }}>
      {width > 0 && (
        <svg
          width={width}
          height={HEIGHT}
          aria-hidden="true"
          onPointerMove={point}
          onPointerDown={point}
          onPointerLeave={() => setPointed(undefined)}
        >
          {ticks.map((value) => (
            <g key={value}>
              <line className={classes.grid} x1={left} x2={width} y1={y(value)} y2={y(value)} />
              <text x={left - 8} y={y(value)} textAnchor="end" dominantBaseline="middle">
                {tick.format(value)}
              </text>
            </g>
          ))}
          {points.map(({ id, at }, place) => {
            const isFirst = x(place) - widest / 2 < left;
            const isLast = x(place) + widest / 2 > width;
            return (
              place % every === 0 &&
              !(isLast && place > 0) && (
                <text key={id} x={isFirst ? left : x(place)} y={HEIGHT - 4} textAnchor={isFirst ? 'start' : 'middle'}>
                  {at}
                </text>
              )
            );
          })}
          {pointed !== undefined && (
            <rect className={classes.pointed} x={left + pointed * slot} y={TOP} width={slot} height={bottom - TOP} />
          )}
          {as === 'areas'
            ? series.map((each) => {
                const line = points.map((point, place) => `${x(place)},${y(count(point, each))}`).join(' ');
                return (
                  <g key={each.name} style={{ fill: colorOf(each.color), stroke: colorOf(each.color) }}>
                    <polygon
                      points={`${x(0)},${bottom} ${line} ${x(points.length - 1)},${bottom}`}
                      fillOpacity={0.15}
                      stroke="none"
                    />
                    <polyline points={line} fill="none" strokeWidth={2} strokeLinejoin="round" />
                    {pointed !== undefined && shown && <circle cx={x(pointed)} cy={y(count(shown, each))} r={3.5} />}
                  </g>
                );
              })
            : points.map((point, place) => {
                let below = 0;
                return series.map((each) => {
                  const from = below;
                  below += count(point, each);
                  return (
                    below > from && (
                      <rect
                        key={`${point.id} ${each.name}`}
                        x={left + (place + 0.1) * slot}
                        y={y(below)}
                        width={slot * 0.8}
                        height={y(from) - y(below)}
                        style={{ fill: colorOf(each.color) }}
                      />
                    )
                  );
                });
              })}
        </svg>
      )}
      {pointed !== undefined && shown && (
        <Paper
          className={classes.note ?? ''}
          withBorder
          shadow="md"
          px="sm"
          py={6}
          // On the side with more room.
          style={x(pointed) > width / 2 ? { right: width - x(pointed) + 12 } : { left: x(pointed) + 12 }}
        >
          <Text size="sm" fw={600}>
            {shown.at}
          </Text>
          {series.map((each) => (
            <Group key={each.name} justify="space-between" wrap="nowrap" gap="lg">
              <Group gap={6} wrap="nowrap">
                <ColorSwatch color={colorOf(each.color)} size={10} />
                <Text size="sm">{each.label}</Text>
              </Group>
              <Text size="sm" fw={600}>
                {number.format(count(shown, each))}
              </Text>
            </Group>
          ))}
        </Paper>
      )}
    </div>
  );
}

/** At least `step`, at least 1: 1, 2 or 5 times a power of ten. */
function roundStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, step)));
  return power * ([1, 2, 5, 10].find((each) => power * each >= step) ?? 10);
}
