/** A trial is noted before its user is made, so that the user never outlives it: purgeExpired ends what nobody else did. */
export interface TrialStore {
  add(appId: number, clientUserId: string, endsAt: number): Promise<'added' | 'application-gone'>;
  /** The user, if there is one, goes with everything that is theirs; without a note of a trial, nothing happens. */
  end(appId: number, clientUserId: string): Promise<void>;
}
