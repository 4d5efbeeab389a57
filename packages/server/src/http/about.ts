/**
 * The application and user a request turned out to be about, filled in by its route for the request log and the
 * statistics.
 */
export type About = {
  appId?: number;
  /** As sent: no application may have it. */
  clientId?: unknown;
  userId?: string;
};

export function noteUser({ about }: { about: About | undefined }, { userId }: { userId: string }): void {
  if (about) about.userId = userId;
}
