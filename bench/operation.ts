import type { Stage } from './stage.ts';

/** One kind of call to measure: against the service, the limits and the peers alike. */
export type Operation = {
  name: string;
  title: string;
  /** The status that every response must have. */
  status: number;
  /** Whether a request can be sent only once (a new user, a token to use up), so that each run needs new ones. */
  once: boolean;
  /** Whether to measure a bare Fastify route with the same bytes too. */
  besideFastify?: true;
  /** `count` different requests if each can be sent only once; otherwise as many as should differ. */
  prepare(stage: Stage, count: number): Promise<string[]>;
};
