import type { SignedIn } from '../accounts/sign-in.ts';
import type { Access } from './access.ts';

/** The caller of /manage/v1 and its access: a program with a personal access token, or a person in the portal. */
export type Manager = {
  /** The name in revisions. */
  author: string;
  /** The account of the session or token; null: the operator's. */
  accountId: string | null;
  /** undefined: the application looks like one that does not exist. */
  accessTo(appId: number): Access | undefined;
  /** Tags of the languages whose texts they may change there; null: all. */
  languagesOf(appId: number): readonly string[] | null;
  canCreateApplications: boolean;
  /** Only for a token: what it creates must not outlive it. */
  expiresAt?: number;
  /** Only for a person in the portal. */
  signedIn?: SignedIn;
};
