import type { Stage } from './stage.ts';

/** One kind of call, as it is measured: against the service, the limits and the peers alike. */
export type Operation = {
  name: string;
  title: string;
  /** What every one of its answers must have. */
  status: number;
  /** Whether a request is good once only (a new user, a token to spend), so that runs need new ones. */
  once: boolean;
  /** Whether a bare Fastify route with the same bytes is measured too. */
  besideFastify?: true;
  /** `count` different ones where each is good once; elsewhere as many as there should be different ones. */
  prepare(stage: Stage, count: number): Promise<string[]>;
};
