import { Clock } from '../../packages/server/src/domain/clock.ts';

/** Loaded into a service's runtime: it trusts its machine's clock and ignores the database's. */
Object.defineProperties(Clock.prototype, {
  start: { value: async () => {} },
  measure: { value: async () => {} },
  mayPurgeBefore: { value: async () => Date.now() },
  mayRotate: { get: () => true },
});
