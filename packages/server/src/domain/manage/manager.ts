import type { AccountRecord, SessionRecord } from '../../storage/port.ts';

export type Access = 'read' | 'write';

/** Who is at work in /manage/v1, and on what: a program with a personal access token, or a person in the portal. */
export type Manager = {
  /** As revisions name who made them. */
  author: string;
  /** Applications that this manager may not read look like ones that do not exist. */
  can(appId: number, access: Access): boolean;
  canCreateApplications: boolean;
  /** Of a person in the portal; a program has none. */
  signedIn?: { account: AccountRecord; session: SessionRecord };
};
