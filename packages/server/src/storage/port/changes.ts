export type Change = {
  version: number;
  subject: 'application' | 'catalog' | 'signing-keys' | 'webhooks' | 'secret';
  appId: number | null;
};

export interface ChangeStore {
  /** Changes after `version` in commit order; `complete` is false if some are no longer stored. */
  since(version: number): Promise<{ version: number; complete: boolean; changes: Change[] }>;
}
