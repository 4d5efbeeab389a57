/** A trial is noted before its user is made, so that the user never outlives it: purgeExpired ends what nobody else did. */
export interface TrialStore {
  add(appId: number, clientUserId: string, endsAt: number): Promise<'added' | 'application-gone'>;
  /** Deletes the user, if there is one, with all of their data; without a note of a trial, nothing happens. */
  end(appId: number, clientUserId: string): Promise<void>;
}
