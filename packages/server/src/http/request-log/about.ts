import type { Asked } from '../asked.ts';

/** Whom a request turned out to be about, noted by its route as it learns it: for the request log and the statistics. */
export type About = {
  appId?: number;
  /** As it was sent: nobody may have it. */
  clientId?: unknown;
  userId?: string;
  /** What left as the body of the answer. */
  answer?: unknown;
};

export function noteUser({ about }: Asked, { userId }: { userId: string }): void {
  if (about) about.userId = userId;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** undefined: about no application. */
    about: About | undefined;
  }
}
