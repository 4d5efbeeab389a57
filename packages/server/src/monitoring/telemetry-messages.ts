import type { CountedDurations } from './durations.ts';

/** A sampled span of the HTTP thread. Times are in milliseconds since 1970. */
export type EndedSpan = {
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  traceState: string | undefined;
  kind: 'server' | 'client';
  name: string;
  attributes: Record<string, string | number>;
  isFailed: boolean;
  startedAt: number;
  endedAt: number;
};

export type Figures = {
  durations: {
    method: string;
    route: string | undefined;
    status: number;
    durations: CountedDurations;
  }[];
  requestsInFlight: number;
  database: { kind: string; open: number; idle: number; waitingActs: number };
  problems: string[];
};

/** `figures` answers `{ asked: 'figures' }`; undefined while the service starts. */
export type ToTelemetryThread = { ended: EndedSpan[] } | { figures: Figures | undefined } | 'close';
export type FromTelemetryThread = { taken: number } | { problem: string; reason: string } | { asked: 'figures' };
