/**
 * A trial is recorded before its user is created, so that the user never outlives it: purgeExpired ends those that
 * nobody else did.
 */
export interface TrialStore {
  add(appId: number, clientUserId: string, endsAt: number): Promise<'added' | 'application-gone'>;
  /** Deletes the user, if there is one, with all of their data; does nothing if no trial was recorded. */
  end(appId: number, clientUserId: string): Promise<void>;
}
