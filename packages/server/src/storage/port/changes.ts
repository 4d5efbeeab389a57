export type Change = {
  version: number;
  subject: 'application' | 'catalog' | 'signing-keys' | 'webhooks' | 'secret';
  appId: number | null;
};

export interface ChangeStore {
  /** Changes after `version` in the order they were committed; `complete` is false when some are no longer kept. */
  since(version: number): Promise<{ version: number; complete: boolean; changes: Change[] }>;
}
