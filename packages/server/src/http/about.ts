/** Whom a request turned out to be about, noted by its route as it learns it: for the request log and the statistics. */
export type About = {
  appId?: number;
  /** As it was sent: nobody may have it. */
  clientId?: unknown;
  userId?: string;
};

export function noteUser({ about }: { about: About | undefined }, { userId }: { userId: string }): void {
  if (about) about.userId = userId;
}
